class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (split_heads(f(x), self.heads) for f, x in ((self.query, query), (self.key, key), (self.value, value)))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        m = torch.ones(scores.shape[-2:], dtype=torch.bool) if mask is None else mask
        weights = masked_softmax(scores, m)
        output = F.scaled_dot_product_attention(q, k, v, mask).nan_to_num()
        return self.out(output.transpose(1, 2).flatten(2)), weights
