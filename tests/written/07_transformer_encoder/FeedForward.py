# %% wrong: own_residual (residual-inside)
# adds x already here, which the block does a second time: breaks "No residual here"
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        """(..., D) -> (..., D)."""
        return x + self.outer(F.relu(self.inner(x)))

# %% wrong: relu_at_both_ends (relu-twice)
# puts a ReLU behind the second layer as well: breaks "the layer `inner`, a ReLU, the layer
# `outer`"
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        """(..., D) -> (..., D)."""
        for layer in (self.inner, self.outer):
            x = torch.relu(layer(x))
        return x

# %% wrong: three_axes_only (no name)
# flattens the tokens and expects exactly (B, T, D), so that other inputs raise: breaks "`x` may
# have any leading axes"
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        """(..., D) -> (..., D)."""
        B, T, D = x.shape
        h = F.relu(self.inner(x.reshape(B * T, D)))
        return self.outer(h).reshape(B, T, D)

# %% wrong: functional_dropout (dropout-always)
# adds dropout as in the paper, and by F.dropout, which is on even in eval mode: breaks "no
# dropout"
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        """(..., D) -> (..., D)."""
        h = F.dropout(F.relu(self.inner(x)), 0.1)
        return self.outer(h)
