class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        rows = [self.outer(self.inner(token).clamp(min=0)) for token in flat]
        return torch.stack(rows).reshape(x.shape)
