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
        self.keys, self.values, self.t = None, None, 0

    def step(self, x):
        q, k, v = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        if self.keys is None:
            B, H, _, d = k.shape
            self.keys, self.values = torch.zeros(B, H, 64, d), torch.zeros(B, H, 64, d)
        self.keys = self.keys.index_copy(2, torch.tensor([self.t]), k)
        self.values = self.values.index_copy(2, torch.tensor([self.t]), v)
        self.t += 1
        mask = torch.arange(64) < self.t
        scores = (q / q.shape[-1] ** 0.5 @ self.keys.mT).masked_fill(~mask, -1e9)
        return self.out(merge_heads(scores.softmax(-1) @ self.values))
