# %% wrong: cache_as_buffer (cache-in-the-state)
# registers the cache as buffers, so that after a step it is saved with the weights: breaks "must
# not become part of the `state_dict`"
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.register_buffer("keys", None)
        self.register_buffer("values", None)

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        q, k, v = self.query(x), self.key(x), self.value(x)
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=1)
        self.values = v if self.values is None else torch.cat([self.values, v], dim=1)
        q, k, v = (
            a.unflatten(-1, (self.heads, -1)).transpose(1, 2) for a in (q, self.keys, self.values)
        )
        weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

# %% wrong: detached_cache (no-gradient)
# cuts the kept keys and values off from the graph to save memory, so that nothing is learned
# through earlier tokens: breaks "gradients must flow (no `.detach()` …)"
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.keys, self.values = [], []

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        B, _, D = x.shape
        d = D // self.heads
        q, k, v = (
            layer(x).reshape(B, 1, self.heads, d).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        keys = torch.cat([*self.keys, k], dim=2)
        values = torch.cat([*self.values, v], dim=2)
        self.keys.append(k.detach())
        self.values.append(v.detach())
        weights = F.softmax(q @ keys.transpose(-2, -1) / math.sqrt(d), dim=-1)
        return self.out((weights @ values).transpose(1, 2).reshape(B, 1, D))

# %% wrong: newest_not_in_its_own_sight (newest-missing)
# appends key and value only after attending, so a token sees the earlier ones alone: breaks "The
# newest token sees itself"
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.keys = None
        self.values = None

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        B, _, D = x.shape
        q, k, v = (
            layer(x).view(B, 1, self.heads, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        if self.keys is None:
            self.keys, self.values = k, v
            seen_k, seen_v = k, v
        else:
            seen_k, seen_v = self.keys, self.values
            self.keys = torch.cat([self.keys, k], dim=2)
            self.values = torch.cat([self.values, v], dim=2)
        out = F.scaled_dot_product_attention(q, seen_k, seen_v)
        return self.out(out.transpose(1, 2).reshape(B, 1, D))

# %% wrong: half_a_reset (resets-half)
# forgets the keys but not the values, so that the second sequence raises: breaks "`reset()`
# forgets everything"
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.keys = None
        if not hasattr(self, "values"):
            self.values = None

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        B, _, D = x.shape
        q, k, v = (
            layer(x).view(B, 1, self.heads, -1).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=2)
        self.values = v if self.values is None else torch.cat([self.values, v], dim=2)
        weights = torch.softmax(q @ self.keys.mT / q.shape[-1] ** 0.5, dim=-1)
        return self.out((weights @ self.values).transpose(1, 2).reshape(B, 1, D))

# %% right: list_of_pairs
# keeps a list of (key, value) pairs with the heads still in the features, and one einsum for
# scores and one for the mixture
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.past = []

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        self.past = [*self.past, (self.key(x), self.value(x))]
        k, v = (torch.cat(parts, 1).unflatten(2, (self.heads, -1)) for parts in zip(*self.past))
        q = self.query(x).unflatten(2, (self.heads, -1))  # (B, 1, H, d)
        scores = torch.einsum("bqhd,bthd->bhqt", q, k) * q.shape[-1] ** -0.5
        mixed = torch.einsum("bhqt,bthd->bqhd", scores.softmax(-1), v)
        return self.out(mixed.flatten(2))

# %% wrong: scale_of_the_model (scaled-by-dim)
# divides the scores by the root of D instead of D / heads: breaks "The scale is that of one head"
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        self.keys, self.values = [], []

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        B, _, D = x.shape
        d = D // self.heads
        q = self.query(x).reshape(B, 1, self.heads, d).transpose(1, 2)
        self.keys.append(self.key(x).reshape(B, 1, self.heads, d).transpose(1, 2))
        self.values.append(self.value(x).reshape(B, 1, self.heads, d).transpose(1, 2))
        k, v = torch.cat(self.keys, dim=2), torch.cat(self.values, dim=2)
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(D), dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(B, 1, D))
