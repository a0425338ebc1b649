# misconception: relu-first
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = x.clamp(min=0)
        return self.outer(self.inner(x))
