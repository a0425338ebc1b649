# misconception: resets-half
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    keys = None

    def reset(self):
        self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        w = (q @ self.keys.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.out(merge_heads(w @ self.values))
