class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # one head after another, as in a first version
        b, t, dim = query.shape
        d = dim // self.heads
        q, k, v = self.query(query), self.key(key), self.value(value)
        outputs, maps = [], []
        for h in range(self.heads):
            part = slice(h * d, (h + 1) * d)
            m = mask
            if mask is not None and mask.dim() == 4:
                m = mask[:, h if mask.shape[1] > 1 else 0]
            o, a = masked_attention(q[..., part], k[..., part], v[..., part], m)
            outputs.append(o)
            maps.append(a)
        return self.out(torch.cat(outputs, -1)), torch.stack(maps, 1)
