# %% right: buffers_that_are_not_saved
class CachedAttention(MultiHeadAttention):
    def __init__(self, dim, heads):
        super().__init__(dim, heads)
        self.register_buffer("cache", None, persistent=False)

    def reset(self):
        self.cache = None

    def step(self, x):
        now = torch.cat([self.key(x), self.value(x)], dim=-1)
        self.cache = now if self.cache is None else torch.cat([self.cache, now], dim=1)
        k, v = self.cache.chunk(2, dim=-1)
        q, k, v = (split_heads(t, self.heads).double() for t in (self.query(x), k, v))
        return self.out(merge_heads(masked_attention(q, k, v)[0]).float())


# %% right: cat
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% right: list_then_stack
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.cache = {"k": [], "v": []}

    def step(self, x):
        B, _, D = x.shape
        d = D // self.heads
        self.cache["k"].append(self.key(x).view(B, self.heads, d))
        self.cache["v"].append(self.value(x).view(B, self.heads, d))
        K, V = torch.stack(self.cache["k"], dim=1), torch.stack(self.cache["v"], dim=1)
        w = torch.einsum("bhd,bthd->bht", self.query(x).view(B, self.heads, d), K) / d**0.5
        return self.out(torch.einsum("bht,bthd->bhd", w.softmax(-1), V).reshape(B, 1, D))


# %% right: newest_first
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q, k, v = (
            split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value)
        )
        self.keys = k if self.keys is None else torch.cat([k, self.keys], dim=2)
        self.values = v if self.values is None else torch.cat([v, self.values], dim=2)
        return self.out(merge_heads(masked_attention(q, self.keys, self.values)[0]))


# %% right: preallocated
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys, self.values, self.t = None, None, 0

    def step(self, x):
        q, k, v = (
            split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value)
        )
        if self.keys is None:
            B, H, _, d = k.shape
            self.keys, self.values = torch.zeros(B, H, 64, d), torch.zeros(B, H, 64, d)
        self.keys = self.keys.index_copy(2, torch.tensor([self.t]), k)
        self.values = self.values.index_copy(2, torch.tensor([self.t]), v)
        self.t += 1
        mask = torch.arange(64) < self.t
        scores = (q / q.shape[-1] ** 0.5 @ self.keys.mT).masked_fill(~mask, -1e9)
        return self.out(merge_heads(scores.softmax(-1) @ self.values))


# %% right: helper_class
class Memory:
    def __init__(self):
        self.parts = {}

    def grow(self, **new):
        for name, tensor in new.items():
            self.parts[name] = torch.cat([self.parts[name], tensor], 2) if name in self.parts else tensor
        return self.parts.values()


class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.memory = Memory()

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        keys, values = self.memory.grow(keys=k, values=v)
        return self.out(merge_heads(F.scaled_dot_product_attention(q, keys, values)))


# %% right: running_sums
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.past = None

    def step(self, x):
        new = torch.stack([self.key(x), self.value(x)])  # (2, B, 1, D)
        self.past = new if self.past is None else torch.cat((self.past, new), dim=2)
        K, V = einops.rearrange(self.past.double(), "two b t (h d) -> two b h t d", h=self.heads)
        Q = einops.rearrange(self.query(x).double(), "b 1 (h d) -> b h d", h=self.heads)
        scores = torch.einsum("bhd,bhtd->bht", Q, K).mul(K.shape[-1] ** -0.5)
        weights = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
        out = torch.einsum("bht,bhtd->bhd", weights, V)
        return self.out(einops.rearrange(out, "b h d -> b 1 (h d)").to(x.dtype))


# %% right: decorated_and_head_by_head
def remembering(step):
    def run(self, x):
        self.kept.append((self.key(x), self.value(x)))
        return step(self, x, *(torch.cat(part, dim=1) for part in zip(*self.kept)))

    return run


class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.kept = []

    @remembering
    def step(self, x, keys, values):
        query, size = self.query(input=x), x.shape[-1] // self.heads
        heads = []
        for q, k, v in zip(query.split(size, -1), keys.split(size, -1), values.split(size, -1)):
            weights = F.softmax(torch.bmm(q, k.mT) / math.sqrt(size), dim=-1)
            heads.append(weights.bmm(v))
        return self.out(torch.cat(heads, dim=-1))


# %% wrong: no_memory (nothing-cached)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: attends_then_appends (newest-missing)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        past_k = k if self.keys is None else self.keys
        past_v = v if self.values is None else self.values
        w = (q @ past_k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        return self.out(merge_heads(w @ past_v))


# %% wrong: copy_and_paste (values-from-keys)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.key(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: copy_and_paste_the_other_way (keys-from-values)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.value(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: raw_inputs (inputs-not-projected)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(x, self.heads)
        v = split_heads(x, self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: joins_batch (wrong-axis)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k])
            v = torch.cat([self.values, v])
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: joins_features (wrong-axis)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=-1)
            v = torch.cat([self.values, v], dim=-1)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: joins_heads (wrong-axis)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=1)
            v = torch.cat([self.values, v], dim=1)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: empty_reset (never-resets)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        if not hasattr(self, "keys"):
            self.keys = None
            self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: reset_to_locals (never-resets)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    keys = None
    values = None

    def reset(self):
        keys = None
        values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: forgets_half (resets-half)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    keys = None

    def reset(self):
        self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        w = (q @ self.keys.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.out(merge_heads(w @ self.values))


# %% wrong: triangle_on_one_row (first-key-only)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v, torch.ones(1, k.shape[2], dtype=torch.bool).tril())
        return self.out(merge_heads(out))


# %% wrong: unscaled (no-scale)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out = torch.softmax(q @ k.transpose(-1, -2), dim=-1) @ v
        return self.out(merge_heads(out))


# %% wrong: scaled_by_d_model (scaled-by-dim)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(x.shape[-1]), dim=-1) @ v
        return self.out(merge_heads(out))


# %% wrong: no_heads (one-head)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 1)
        self.values = v if self.values is None else torch.cat([self.values, v], 1)
        return self.out(masked_attention(q, self.keys, self.values)[0])


# %% wrong: scores_as_weights (no-softmax)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out = (q @ k.transpose(-1, -2)) / math.sqrt(q.size(-1)) @ v
        return self.out(merge_heads(out))


# %% wrong: no_out (no-output-projection)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        return merge_heads(out)


# %% wrong: caches_queries (all-steps-returned)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        if self.keys is not None:
            q, k, v = (
                torch.cat([self.queries, q], 2),
                torch.cat([self.keys, k], 2),
                torch.cat([self.values, v], 2),
            )
        self.queries, self.keys, self.values = q, k, v
        out, _ = masked_attention(q, k, v, causal_mask(q.shape[2]))
        return self.out(merge_heads(out))


# %% wrong: caches_queries_without_mask (all-steps-returned)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        self.past = x if self.keys is None else torch.cat([self.past, x], dim=1)
        q, k, v = (
            split_heads(f(self.past), self.heads) for f in (self.query, self.key, self.value)
        )
        self.keys = k
        return self.out(merge_heads(masked_attention(q, k, v)[0]))


# %% wrong: with_weights (returns-weights-too)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, weights = masked_attention(q, k, v)
        return self.out(merge_heads(out)), weights


# %% wrong: cache_as_parameter (parameters)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.keys = nn.Parameter(torch.zeros(1, heads, 0, dim // heads))
        self.values = nn.Parameter(torch.zeros(1, heads, 0, dim // heads))

    def reset(self):
        self.keys = nn.Parameter(self.keys[:, :, :0])
        self.values = nn.Parameter(self.values[:, :, :0])

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = nn.Parameter(torch.cat([self.keys.expand(len(x), -1, -1, -1), k], 2))
        self.values = nn.Parameter(torch.cat([self.values.expand(len(x), -1, -1, -1), v], 2))
        return self.out(merge_heads(masked_attention(q, self.keys, self.values)[0]))


# %% wrong: detached (no-gradient)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k.detach(), v.detach()
        k, v = self.keys, self.values
        out, _ = masked_attention(q, k, v)
        return self.out(merge_heads(out))


# %% wrong: no_return (returns-nothing)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = None
        self.values = None

    def step(self, x):
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=2)
            v = torch.cat([self.values, v], dim=2)
        self.keys, self.values = k, v
        out, _ = masked_attention(q, k, v)
        out = self.out(merge_heads(out))


# %% wrong: torchs_own (not-allowed)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.reset()

    def reset(self):
        self.past = None

    def step(self, x):
        self.past = x if self.past is None else torch.cat([self.past, x], 1)
        return self.attention(x, self.past, self.past)[0]


# %% wrong: caches_inputs (everything-again)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.past = []

    def step(self, x):
        self.past.append(x)
        seen = torch.cat(self.past, dim=1)
        q = split_heads(self.query(x), self.heads)
        k, v = split_heads(self.key(seen), self.heads), split_heads(self.value(seen), self.heads)
        return self.out(merge_heads(F.scaled_dot_product_attention(q, k, v)))




# %% wrong: saved_buffers (cache-in-the-state)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.register_buffer("keys", None)
        self.register_buffer("values", None)
        self.reset()

    def reset(self):
        self.keys = self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        return self.out(merge_heads(masked_attention(q, self.keys, self.values)[0]))


# %% wrong: list_of_the_class (cache-on-the-class)
class CachedAttention(nn.Module):
    past = []

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.past.clear()

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.past.append((k, v))
        keys, values = (torch.cat(part, 2) for part in zip(*self.past))
        return self.out(merge_heads(masked_attention(q, keys, values)[0]))


# %% wrong: detaches_what_it_keeps (no-gradient)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys, self.values = [], []

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        keys, values = torch.cat([*self.keys, k], 2), torch.cat([*self.values, v], 2)
        self.keys.append(k.detach())
        self.values.append(v.detach())
        return self.out(merge_heads(masked_attention(q, keys, values)[0]))


# %% wrong: query_detached (no-gradient)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = self.values = None

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        return self.out(merge_heads(masked_attention(q.detach(), self.keys, self.values)[0]))


# %% wrong: reset_returns_itself (no name)
class CachedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        self.keys = self.values = None
        return self

    def step(self, x):
        q, k, v = (split_heads(f(x), self.heads) for f in (self.query, self.key, self.value))
        self.keys = k if self.keys is None else torch.cat([self.keys, k], 2)
        self.values = v if self.values is None else torch.cat([self.values, v], 2)
        return self.out(merge_heads(masked_attention(q, self.keys, self.values)[0]))
