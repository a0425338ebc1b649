class CachedAttention(MultiHeadAttention):
    def __init__(self, dim, heads):
        super().__init__(dim, heads)
        self.register_buffer("cache", None, persistent=False)

    def reset(self):
        self.cache = None

    def step(self, x):
        now = torch.cat([self.key(x), self.value(x)], dim=-1)
        self.cache = now if self.cache is None else torch.cat([self.cache, now], dim=1)
        k, v = self.cache.chunk(2, dim=-1)
        q, k, v = (split_heads(t, self.heads).double() for t in (self.query(x), k, v))
        return self.out(merge_heads(masked_attention(q, k, v)[0]).float())
