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
        self.cache = {"k": [], "v": []}

    def step(self, x):
        B, _, D = x.shape
        d = D // self.heads
        self.cache["k"].append(self.key(x).view(B, self.heads, d))
        self.cache["v"].append(self.value(x).view(B, self.heads, d))
        K, V = torch.stack(self.cache["k"], dim=1), torch.stack(self.cache["v"], dim=1)
        w = torch.einsum("bhd,bthd->bht", self.query(x).view(B, self.heads, d), K) / d**0.5
        return self.out(torch.einsum("bht,bthd->bhd", w.softmax(-1), V).reshape(B, 1, D))
