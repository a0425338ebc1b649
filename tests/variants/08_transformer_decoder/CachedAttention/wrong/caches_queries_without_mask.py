# misconception: all-steps-returned
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
        self.past = x if self.keys is None else torch.cat([self.past, x], dim=1)
        q, k, v = (split_heads(f(self.past), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k
        return self.out(merge_heads(masked_attention(q, k, v)[0]))
