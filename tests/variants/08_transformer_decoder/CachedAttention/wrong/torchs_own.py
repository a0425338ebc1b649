# misconception: not-allowed
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.reset()

    def reset(self):
        self.past = None

    def step(self, x):
        self.past = x if self.past is None else torch.cat([self.past, x], 1)
        return self.attention(x, self.past, self.past)[0]
