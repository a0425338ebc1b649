# %% right: absolute_value
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = self.inner(x)
        return self.outer((h + h.abs()) / 2)


# %% right: einsum
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = torch.einsum("...d,hd->...h", x, self.inner.weight) + self.inner.bias
        h = h * (h > 0)
        return torch.einsum("...h,dh->...d", h, self.outer.weight) + self.outer.bias


# %% right: functional
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(F.relu(self.inner(x)))


# %% right: position_by_position
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        rows = [self.outer(self.inner(token).clamp(min=0)) for token in flat]
        return torch.stack(rows).reshape(x.shape)


# %% right: sequential
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return nn.Sequential(self.inner, nn.ReLU(), self.outer)(x)


# %% right: where
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = self.inner(x)
        return self.outer(torch.where(h > 0, h, torch.zeros_like(h)))


# %% right: matrices_by_hand
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        hidden = (x @ self.inner.weight.mT + self.inner.bias).clamp(min=0)
        return hidden @ self.outer.weight.transpose(0, 1) + self.outer.bias


# %% right: einops_and_a_lambda
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        bend = lambda h: torch.maximum(h, h.new_zeros(()))  # noqa: E731
        tokens = einops.rearrange(x, "... d -> (...) d")
        return self.outer(input=bend(self.inner(tokens))).view_as(x)


# %% right: turned_and_turned_back
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        wide = torch.addmm(self.inner.bias[:, None], self.inner.weight, x.reshape(-1, x.shape[-1]).T)
        narrow = self.outer.weight @ F.threshold(wide, 0.0, 0.0) + self.outer.bias[:, None]
        return narrow.T.reshape(x.shape)


# %% wrong: dropout_only (no-nonlinearity)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = F.dropout(self.inner(x), 0.1, training=self.training)
        return self.outer(h)


# %% wrong: two_linears (no-nonlinearity)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = self.inner(x)
        x = self.outer(x)
        return x


# %% wrong: relu_at_the_end (relu-last)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return torch.relu(self.outer(self.inner(x)))


# %% wrong: relu_on_the_input (relu-first)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = x.clamp(min=0)
        return self.outer(self.inner(x))


# %% wrong: relu_both (relu-twice)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = F.relu(self.inner(x))
        x = F.relu(self.outer(x))
        return x


# %% wrong: gelu (gelu)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(nn.GELU()(self.inner(x)))


# %% wrong: leaky (other-nonlinearity)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(nn.LeakyReLU()(self.inner(x)))


# %% wrong: sigmoid (other-nonlinearity)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(torch.sigmoid(self.inner(x)))


# %% wrong: tanh (other-nonlinearity)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(self.inner(x).tanh())


# %% wrong: softmax (softmax-inside)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = self.inner(x)
        return self.outer(F.softmax(h, dim=-1))


# %% wrong: adds_x (residual-inside)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        out = self.outer(self.inner(x).relu())
        return out + x


# %% wrong: dropout_always_on (dropout-always)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(F.dropout(F.relu(self.inner(x)), 0.5))


# %% wrong: over_time (over-time)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        x = x.transpose(-1, -2)
        x = self.outer(F.relu(self.inner(x)))
        return x.transpose(-1, -2)


# %% wrong: no_grad (no-gradient)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        with torch.no_grad():
            h = F.relu(self.inner(x))
        return self.outer(h)


# %% wrong: renamed_layers (parameters)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


# %% wrong: returns_nothing (returns-nothing)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        y = self.outer(F.relu(self.inner(x)))


# %% wrong: dropout_in_training_only (dropout-in-training)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        h = F.relu(self.inner(x))
        h = F.dropout(h, 0.1, training=self.training)
        return self.outer(h)


# %% wrong: dropout_layer (dropout-in-training)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.outer(self.dropout(self.inner(x).relu()))


# %% wrong: dropout_told_by_position (dropout-in-training)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return F.dropout(self.outer(F.relu(self.inner(x))), 0.1, self.training)


# %% wrong: turned_back_too_often (no name)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(F.relu(self.inner(x))).transpose(-1, -2)


# %% wrong: relu_of_the_transposed_weight (no name)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return F.relu(x @ self.inner.weight.T + self.inner.bias) @ self.outer.weight + self.outer.bias
