# %% wrong: values_from_keys (value-from-key)
# projects the values from `key`, as keys and values are usually the same tensor; breaks "they may
# be three different tensors"
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        def split(x):
            B, L, D = x.shape
            return x.view(B, L, self.heads, D // self.heads).transpose(1, 2)

        q = split(self.query(query))
        k = split(self.key(key))
        v = split(self.value(key))
        output, weights = masked_attention(q, k, v, mask)
        B, H, T, d = output.shape
        return self.out(output.transpose(1, 2).reshape(B, T, H * d)), weights


# %% wrong: axis_for_the_heads (no name)
# always inserts an axis for the heads into the mask, so a mask (B, 1, 1, S) gets five axes;
# breaks "`mask` is `None` or boolean, broadcastable to `(B, H, T, S)`: e.g. `(T, S)`, or `(B, 1,
# 1, S)`"
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        q, k, v = self.query(query), self.key(key), self.value(value)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        if mask is not None:
            mask = mask.unsqueeze(1)
        heads, weights = masked_attention(q, k, v, mask)
        return self.out(heads.transpose(1, 2).flatten(2)), weights


# %% wrong: scale_of_the_model (scaled-by-model-size)
# divides the scores by the root of D instead of that of a head's size; breaks "scaled by the root
# of a head's size"
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        B, T, D = query.shape
        S = key.shape[1]
        d = D // self.heads
        q = self.query(query).view(B, T, self.heads, d).transpose(1, 2)
        k = self.key(key).view(B, S, self.heads, d).transpose(1, 2)
        v = self.value(value).view(B, S, self.heads, d).transpose(1, 2)
        scores = q @ k.mT / math.sqrt(D)
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            weights = masked_softmax(scores, mask)
        merged = (weights @ v).transpose(1, 2).reshape(B, T, D)
        return self.out(merged), weights


# %% wrong: heads_glued_in_time (merged-by-view)
# merges the heads by a plain reshape without bringing the time steps to the front; breaks "Merge
# the heads" (each time step gets the features of all its heads)
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        def split(x):
            return x.reshape(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

        attended, weights = masked_attention(
            split(self.query(query)), split(self.key(key)), split(self.value(value)), mask
        )
        merged = attended.reshape(query.shape)
        return self.out(merged), weights


# %% right: head_by_head
# a loop over the heads with slices of the features, and the output as a sum over heads
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        q, k, v = self.query(query), self.key(key), self.value(value)
        d = q.shape[-1] // self.heads
        full = (q.shape[0], self.heads, q.shape[1], k.shape[1])
        allowed = None if mask is None else mask.expand(full)
        total, weights = self.out.bias, []
        for h in range(self.heads):
            part = slice(h * d, (h + 1) * d)
            scores = torch.einsum("btd,bsd->bts", q[..., part], k[..., part]) / d**0.5
            w = scores.softmax(-1) if allowed is None else masked_softmax(scores, allowed[:, h])
            weights.append(w)
            total = total + w @ v[..., part] @ self.out.weight[:, part].T
        return total, torch.stack(weights, 1)
