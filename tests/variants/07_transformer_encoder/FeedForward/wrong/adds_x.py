# misconception: residual-inside
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        out = self.outer(self.inner(x).relu())
        return out + x
