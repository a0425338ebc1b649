class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # W_O as a sum: every head writes through its own columns
        q, k, v = (split_heads(f(x), self.heads) for f, x in ((self.query, query), (self.key, key), (self.value, value)))
        o, a = masked_attention(q, k, v, mask)
        blocks = self.out.weight.chunk(self.heads, dim=1)
        return sum(o[:, i] @ w.T for i, w in enumerate(blocks)) + self.out.bias, a
