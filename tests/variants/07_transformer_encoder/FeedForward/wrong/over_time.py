# misconception: over-time
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = x.transpose(-1, -2)
        x = self.outer(F.relu(self.inner(x)))
        return x.transpose(-1, -2)
