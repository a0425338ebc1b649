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
        self.past = []

    def step(self, x):
        self.past.append(x)
        seen = torch.cat(self.past, dim=1)
        q = split_heads(self.query(x), self.heads)
        k, v = split_heads(self.key(seen), self.heads), split_heads(self.value(seen), self.heads)
        return self.out(merge_heads(F.scaled_dot_product_attention(q, k, v)))
