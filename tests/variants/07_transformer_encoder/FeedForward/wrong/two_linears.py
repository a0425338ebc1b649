# misconception: no-nonlinearity
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = self.inner(x)
        x = self.outer(x)
        return x
