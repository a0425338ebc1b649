class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q, k, v = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([k, self.keys], dim=2)
        self.values = v if self.values is None else torch.cat([v, self.values], dim=2)
        return self.out(merge_heads(masked_attention(q, self.keys, self.values)[0]))
