# misconception: embedding-cut-up
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (split_heads(x, self.heads) for x in (query, key, value))
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights
