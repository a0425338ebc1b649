# %% right: repeat_interleave
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1] != 0:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    return masked_attention(query, key.repeat_interleave(n, 1), value.repeat_interleave(n, 1), mask)


# %% right: five_axes
def grouped_query_attention(query, key, value, mask=None):
    B, H, T, d = query.shape
    G = key.shape[1]
    if H % G:
        raise ValueError("no")
    q = query.reshape(B, G, H // G, T, d)
    scores = torch.einsum("bgntd,bgsd->bgnts", q, key) / math.sqrt(d)
    scores = scores.reshape(B, H, T, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    output = torch.einsum("bgnts,bgsd->bgntd", weights.reshape(B, G, H // G, T, -1), value)
    return output.reshape(B, H, T, d), weights


# %% right: head_by_head
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.shape[1], key.shape[1]
    if H // G * G != H:
        raise ValueError(f"{H} and {G}")
    outputs, weights = [], []
    for h in range(H):
        g = h // (H // G)
        m = None
        if mask is not None:
            m = mask.expand(query.shape[0], H, query.shape[2], key.shape[2])[:, h]
        o, w = masked_attention(query[:, h], key[:, g], value[:, g], m)
        outputs.append(o)
        weights.append(w)
    return torch.stack(outputs, 1), torch.stack(weights, 1)


# %% right: indexed
def grouped_query_attention(query, key, value, mask=None):
    heads, groups = query.size(1), key.size(1)
    if heads % groups > 0:
        raise ValueError("heads must be a multiple of groups")
    which = torch.arange(groups)[:, None].expand(groups, heads // groups).flatten()
    k, v = key[:, which], value[:, which]
    scores = query @ k.transpose(-1, -2) * query.size(-1) ** -0.5
    weights = torch.softmax(scores, -1) if mask is None else masked_softmax(scores, mask)
    return weights @ v, weights


# %% wrong: tiled (groups-in-turn)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    return masked_attention(query, key.repeat(1, n, 1, 1), value.repeat(1, n, 1, 1), mask)


# %% wrong: modulo (groups-in-turn)
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.shape[1], key.shape[1]
    if H % G:
        raise ValueError
    index = torch.arange(H) % G
    return masked_attention(query, key[:, index], value[:, index], mask)


# %% wrong: only_group_zero (first-group-for-all)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    return masked_attention(query, key[:, [0]], value[:, [0]], mask)


# %% wrong: mean_of_groups (groups-averaged)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    return masked_attention(query, key.mean(1, True), value.mean(1, True), mask)


# %% wrong: along_the_places (no name)
def grouped_query_attention(query, key, value, mask=None):
    n = query.shape[1] // key.shape[1]
    return masked_attention(query, key.repeat_interleave(n, 2), value.repeat_interleave(n, 2), mask)


# %% wrong: forgotten_scale (no-scale)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    scores = query @ key.repeat_interleave(n, 1).mT
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights @ value.repeat_interleave(n, 1), weights


# %% wrong: values_tiled (values-in-turn)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    return masked_attention(query, key.repeat_interleave(n, 1), value.repeat(1, n, 1, 1), mask)


# %% wrong: no_mask (mask-ignored)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    return masked_attention(query, key.repeat_interleave(n, 1), value.repeat_interleave(n, 1))


# %% wrong: whatever_fits (uneven-groups)
def grouped_query_attention(query, key, value, mask=None):
    H, G = query.shape[1], key.shape[1]
    groups = [h * G // H for h in range(H)]
    return masked_attention(query, key[:, groups], value[:, groups], mask)


# %% wrong: broadcasting (no name)
def grouped_query_attention(query, key, value, mask=None):
    return masked_attention(query, key, value, mask)


# %% wrong: output_alone (no name)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    return F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)


# %% wrong: weights_first (swapped-results)
def grouped_query_attention(query, key, value, mask=None):
    if query.shape[1] % key.shape[1]:
        raise ValueError
    n = query.shape[1] // key.shape[1]
    a, b = masked_attention(query, key.repeat_interleave(n, 1), value.repeat_interleave(n, 1), mask)
    return b, a


# %% wrong: weak_fill (fill-too-weak)
def grouped_query_attention(query, key, value, mask=None):
    n, rest = divmod(query.shape[1], key.shape[1])
    if rest:
        raise ValueError
    key, value = key.repeat_interleave(n, 1), value.repeat_interleave(n, 1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = scores.softmax(-1)
    return weights @ value, weights


# %% wrong: fill_of_a_hundred (no name)
def grouped_query_attention(query, key, value, mask=None):
    n, rest = divmod(query.shape[1], key.shape[1])
    if rest:
        raise ValueError
    key, value = key.repeat_interleave(n, 1), value.repeat_interleave(n, 1)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -100)
    weights = scores.softmax(-1)
    return weights @ value, weights


# %% wrong: mask_upside_down (mask-inverted)
def grouped_query_attention(query, key, value, mask=None):
    n, rest = divmod(query.shape[1], key.shape[1])
    if rest:
        raise ValueError
    key, value = key.repeat_interleave(n, 1), value.repeat_interleave(n, 1)
    return masked_attention(query, key, value, None if mask is None else ~mask)


# %% wrong: torch_complains_instead (uneven-groups)
def grouped_query_attention(query, key, value, mask=None):
    share = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(share, dim=1) for x in (key, value))
    return masked_attention(query, key, value, mask)
