class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = F.relu(self.inner(x))
        h = F.dropout(h, 0.1, training=self.training)
        return self.outer(h)
