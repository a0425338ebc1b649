class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = torch.einsum("...d,hd->...h", x, self.inner.weight) + self.inner.bias
        h = h * (h > 0)
        return torch.einsum("...h,dh->...d", h, self.outer.weight) + self.outer.bias
