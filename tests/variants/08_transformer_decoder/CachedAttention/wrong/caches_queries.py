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
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        if self.keys is not None:
            q, k, v = torch.cat([self.queries, q], 2), torch.cat([self.keys, k], 2), torch.cat([self.values, v], 2)
        self.queries, self.keys, self.values = q, k, v
        out, _ = masked_attention(q, k, v, causal_mask(q.shape[2]))
        return self.out(merge_heads(out))
