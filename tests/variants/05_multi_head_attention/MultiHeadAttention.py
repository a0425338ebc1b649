# %% right: einsum_everything
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        h, d = self.heads, query.shape[-1] // self.heads
        wq, wk, wv = (layer.weight.view(h, d, -1) for layer in (self.query, self.key, self.value))
        bq, bk, bv = (layer.bias.view(1, h, 1, d) for layer in (self.query, self.key, self.value))
        q = torch.einsum("btc,hdc->bhtd", query, wq) + bq
        k = torch.einsum("bsc,hdc->bhsd", key, wk) + bk
        v = torch.einsum("bsc,hdc->bhsd", value, wv) + bv
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * d ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
        wo = self.out.weight.view(-1, h, d)
        return torch.einsum("bhts,bhsd,chd->btc", weights, v, wo) + self.out.bias, weights


# %% right: float64_inside
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            split_heads(f(x), self.heads).double()
            for f, x in ((self.query, query), (self.key, key), (self.value, value))
        )
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o.float())), a.float()


# %% right: folded_into_the_batch
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # heads folded into the batch, as d2l does it
        b, t, dim = query.shape
        s, h = key.shape[1], self.heads
        fold = lambda x: (
            x.reshape(b, -1, h, dim // h).permute(0, 2, 1, 3).reshape(b * h, -1, dim // h)
        )
        q, k, v = fold(self.query(query)), fold(self.key(key)), fold(self.value(value))
        m = None if mask is None else mask.expand(b, h, t, s).reshape(b * h, t, s)
        o, a = masked_attention(q, k, v, m)
        o = o.reshape(b, h, t, -1).permute(0, 2, 1, 3).reshape(b, t, dim)
        return self.out(o), a.reshape(b, h, t, s)


# %% right: fused_output
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            split_heads(f(x), self.heads)
            for f, x in ((self.query, query), (self.key, key), (self.value, value))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        m = torch.ones(scores.shape[-2:], dtype=torch.bool) if mask is None else mask
        weights = masked_softmax(scores, m)
        output = F.scaled_dot_product_attention(q, k, v, mask).nan_to_num()
        return self.out(output.transpose(1, 2).flatten(2)), weights


# %% right: loop_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # one head after another, as in a first version
        b, t, dim = query.shape
        d = dim // self.heads
        q, k, v = self.query(query), self.key(key), self.value(value)
        outputs, maps = [], []
        for h in range(self.heads):
            part = slice(h * d, (h + 1) * d)
            m = mask
            if mask is not None and mask.dim() == 4:
                m = mask[:, h if mask.shape[1] > 1 else 0]
            o, a = masked_attention(q[..., part], k[..., part], v[..., part], m)
            outputs.append(o)
            maps.append(a)
        return self.out(torch.cat(outputs, -1)), torch.stack(maps, 1)


# %% right: no_key_bias
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # the key's bias adds the same number to all scores of a row: softmax does not see it
        q = split_heads(self.query(query), self.heads)
        k = split_heads(F.linear(key, self.key.weight) + 0 * self.key.bias, self.heads)
        v = split_heads(self.value(value), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a


# %% right: sum_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # W_O as a sum: every head writes through its own columns
        q, k, v = (
            split_heads(f(x), self.heads)
            for f, x in ((self.query, query), (self.key, key), (self.value, value))
        )
        o, a = masked_attention(q, k, v, mask)
        blocks = self.out.weight.chunk(self.heads, dim=1)
        return sum(o[:, i] @ w.T for i, w in enumerate(blocks)) + self.out.bias, a


# %% right: with_masked_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: no_out (no-output-projection)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        return merge_heads(output), weights


# %% wrong: raw_split (embedding-cut-up)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (split_heads(x, self.heads) for x in (query, key, value))
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: one_layer (one-projection)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        heads = [split_heads(self.query(x), self.heads) for x in (query, key, value)]
        output, weights = masked_attention(*heads, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: value_with_key_layer (value-by-key-layer)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.key(value), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a


# %% wrong: layers_swapped (query-and-key-swapped)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.key(query), self.heads)
        k = split_heads(self.query(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a


# %% wrong: self_only (everything-from-query)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        x = query
        q = split_heads(self.query(x), self.heads)
        k = split_heads(self.key(x), self.heads)
        v = split_heads(self.value(x), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a


# %% wrong: key_as_value (value-from-key)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(key), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a


# %% wrong: sqrt_model (scaled-by-model-size)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.mT / query.shape[-1] ** 0.5
        weights = masked_softmax(
            scores, torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        )
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: unscaled (no-scale)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = torch.einsum('bhtd,bhsd->bhts', q, k)
        weights = masked_softmax(scores, torch.tensor(True) if mask is None else mask)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: scaled_before_and_after (scaled-twice)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        q = q / math.sqrt(q.shape[-1])
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: sqrt_heads (scaled-by-heads)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.mT / self.heads ** 0.5
        weights = masked_softmax(scores, torch.tensor(True) if mask is None else mask)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: view_split (view-for-transpose)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        b, t, dim = query.shape
        s, d = key.shape[1], dim // self.heads
        q = self.query(query).view(b, self.heads, t, d)
        k = self.key(key).view(b, self.heads, s, d)
        v = self.value(value).view(b, self.heads, s, d)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: view_both (view-there-and-back)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        b, t, dim = query.shape
        s, d = key.shape[1], dim // self.heads
        q = self.query(query).view(b, self.heads, t, d)
        k = self.key(key).view(b, self.heads, s, d)
        v = self.value(value).view(b, self.heads, s, d)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(output.reshape(b, t, dim)), weights


# %% wrong: reshape_merge (merged-by-view)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        b, h, t, d = output.shape
        return self.out(output.reshape(b, t, h * d)), weights


# %% wrong: d_before_h (interleaved)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        b, t, dim = query.shape
        h = self.heads
        cut = lambda x: x.view(b, -1, dim // h, h).permute(0, 3, 1, 2)
        output, weights = masked_attention(
            cut(self.query(query)), cut(self.key(key)), cut(self.value(value)), mask
        )
        return self.out(output.permute(0, 2, 3, 1).reshape(b, t, dim)), weights


# %% wrong: mask_forgotten (mask-ignored)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v)
        return self.out(merge_heads(output)), weights


# %% wrong: mask_polarity (mask-inverted)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(
            q, k, v, None if mask is None else torch.logical_not(mask)
        )
        return self.out(merge_heads(output)), weights


# %% wrong: zero_fill (zero-score)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, torch.zeros_like(scores))
        weights = F.softmax(scores, dim=-1)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: minus_ten (fill-too-weak)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -10)
        weights = F.softmax(scores, dim=-1)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: tiny_fill (sign-lost)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, 1e-9)
        weights = F.softmax(scores, dim=-1)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: nan_row (nothing-to-look-at)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float('-inf'))
        weights = torch.softmax(scores, -1)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: uniform_row (spread-over-nothing)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = torch.softmax(scores, -1)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: zeroed_weights (masked-after-softmax)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: softmax_axis (softmax-over-queries)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(dim=2)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: mean_weights (weights-averaged)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights.mean(dim=1)


# %% wrong: output_alone (weights-missing)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, _ = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output))


# %% wrong: unmerged (not-merged)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        return masked_attention(q, k, v, mask)


# %% wrong: forgot_return (returns-nothing)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        output = self.out(merge_heads(output))


# %% wrong: no_grad (no-gradient)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        with torch.no_grad():
            q = split_heads(self.query(query), self.heads)
            k = split_heads(self.key(key), self.heads)
            v = split_heads(self.value(value), self.heads)
            output, weights = masked_attention(q, k, v, mask)
            return self.out(merge_heads(output)), weights


# %% wrong: plain_list_of_heads (parameters)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        # a plain list: torch does not see these layers
        self.layers = [nn.Linear(dim, dim) for _ in range(3)]
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            split_heads(layer(x), self.heads) for layer, x in zip(self.layers, (query, key, value))
        )
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights


# %% wrong: swapped (swapped-results)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        return weights, self.out(merge_heads(output))


# %% wrong: torchs_own (not-allowed)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        inner = nn.MultiheadAttention(query.shape[-1], self.heads, batch_first=True)
        return inner(query, key, value, attn_mask=mask, average_attn_weights=False)


# %% wrong: residual_added (no name)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        output, weights = masked_attention(q, k, v, mask)
        return query + self.out(merge_heads(output)), weights


# %% wrong: mask_detaches (no-gradient)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            split_heads(layer(x), self.heads)
            for layer, x in ((self.query, query), (self.key, key), (self.value, value))
        )
        output, weights = masked_attention(q, k, v, mask)
        output = weights.detach() @ v
        return self.out(merge_heads(output)), weights


# %% wrong: nan_on_the_way_back (no name)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.where(mask, 0.0, -torch.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        return self.out(merge_heads(weights @ v)), weights


# %% wrong: never_split (one-large-head)
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        output, weights = masked_attention(self.query(query), self.key(key), self.value(value), mask)
        return self.out(output), weights
