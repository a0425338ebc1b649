# misconception: no-gradient
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        with torch.no_grad():
            h = F.relu(self.inner(x))
        return self.outer(h)
