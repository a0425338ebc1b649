class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # heads folded into the batch, as d2l does it
        b, t, dim = query.shape
        s, h = key.shape[1], self.heads
        fold = lambda x: x.reshape(b, -1, h, dim // h).permute(0, 2, 1, 3).reshape(b * h, -1, dim // h)
        q, k, v = fold(self.query(query)), fold(self.key(key)), fold(self.value(value))
        m = None if mask is None else mask.expand(b, h, t, s).reshape(b * h, t, s)
        o, a = masked_attention(q, k, v, m)
        o = o.reshape(b, h, t, -1).permute(0, 2, 1, 3).reshape(b, t, dim)
        return self.out(o), a.reshape(b, h, t, s)
