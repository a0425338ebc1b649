# %% right: calls_masked_softmax
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% right: einsum
def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) * key.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    w = scores.softmax(-1).nan_to_num(0.0)
    return torch.einsum("...ts,...sv->...tv", w, value), w


# %% right: float64_additive
def masked_attention(query, key, value, mask=None):
    q, k, v = query.double(), key.double(), value.double()
    s = q @ k.mT / k.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.where(mask, 0.0, -1e12)
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask
    return (w @ v).float(), w.float()


# %% right: key_major
def masked_attention(query, key, value, mask=None):
    by_key = key @ query.mT / math.sqrt(key.shape[-1])  # (..., S, T)
    if mask is not None:
        by_key = by_key.masked_fill(~mask.mT, torch.finfo(by_key.dtype).min)
    w = by_key.softmax(dim=-2).mT
    if mask is not None:
        w = w.masked_fill(~mask, 0.0)
    return w @ value, w


# %% right: loop_over_queries
def masked_attention(query, key, value, mask=None):
    T, S = query.shape[-2], key.shape[-2]
    allowed = (
        torch.ones(*query.shape[:-1], S, dtype=torch.bool)
        if mask is None
        else mask.expand(*query.shape[:-1], S)
    )
    outs, rows = [], []
    for t in range(T):
        s = (query[..., t : t + 1, :] * key).sum(-1) / math.sqrt(key.shape[-1])
        w = masked_softmax(s, allowed[..., t, :])
        rows.append(w)
        outs.append((w[..., None] * value).sum(-2))
    return torch.stack(outs, -2), torch.stack(rows, -2)


# %% right: minus_billion
def masked_attention(query, key, value, mask=None):
    scores = torch.matmul(query / math.sqrt(query.size(-1)), key.transpose(-2, -1))
    if mask is None:
        p = F.softmax(scores, dim=-1)
    else:
        p = F.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
    return torch.matmul(p, value), p


# %% wrong: ignores_mask (mask-ignored)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ value, weights


# %% wrong: mha_polarity (inverted)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = masked_softmax(scores, torch.logical_not(mask))
    return weights @ value, weights


# %% wrong: zero_scores (zero-score)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: minus_ten (fill-not-low-enough)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: weights_zeroed (not-renormalised)
def masked_attention(query, key, value, mask=None):
    weights = F.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


# %% wrong: nan_rows (empty-row-nan)
def masked_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% wrong: uniform_rows (empty-row-uniform)
def masked_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% wrong: zero_times_inf (zero-times-infinity)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores - (~mask) * float("inf")
    weights = scores.softmax(-1)
    return weights @ value, weights


# %% wrong: query_axis (masks-queries)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask.transpose(-1, -2))
    return weights @ value, weights


# %% wrong: bool_added (mask-added)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    return weights @ value, weights


# %% wrong: masks_the_sum (masks-values)
def masked_attention(query, key, value, mask=None):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1)
    used = weights if mask is None else weights.masked_fill(~mask, 0)
    return used @ value, weights


# %% wrong: old_weights (weights-before-the-mask)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1)
    masked = weights if mask is None else masked_softmax(scores, mask)
    return masked @ value, weights


# %% wrong: mask_required (needs-a-mask)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: causal_always (always-causal)
def masked_attention(query, key, value, mask=None):
    T, S = query.shape[-2], key.shape[-2]
    past = torch.arange(T)[:, None] >= torch.arange(S)
    mask = past if mask is None else mask & past
    weights = masked_softmax(query @ key.mT / math.sqrt(key.shape[-1]), mask)
    return weights @ value, weights


# %% wrong: no_scale (no-scale)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: over_d (divides-by-d)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / key.shape[-1]
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: scale_outside (scale-outside-softmax)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    weights = weights / math.sqrt(key.shape[-1])
    return weights @ value, weights


# %% wrong: output_only (weights-missing)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights @ value


# %% wrong: library (not-allowed)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights


# %% wrong: wrong_order (swapped-results)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights, weights @ value


# %% wrong: dropout (no name)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    weights = F.dropout(weights, p=0.1)
    return weights @ value, weights


# %% wrong: output_zeroed (no name)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ value, weights
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return (weights @ value).nan_to_num(0.0), weights


# %% right: unit_two_without_mask
def masked_attention(query, key, value, mask=None):
    from course_utils.dot_product_attention import scaled_dot_product_attention

    if mask is None:
        return scaled_dot_product_attention(query, key, value)
    weights = masked_softmax(query @ key.transpose(-2, -1) / key.shape[-1] ** 0.5, mask)
    return weights @ value, weights


# %% wrong: detached_without_mask (no name)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1).detach() if mask is None else masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: added_infinity (nan-gradient)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong: torchs_own (not-allowed)
def masked_attention(query, key, value, mask=None):
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(query, key, value, mask), None


# %% wrong: the_courses_own (the-reference)
from course_utils.masking import masked_attention


# %% wrong: root_of_the_value_size (scaled-by-the-values)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(value.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: zero_scores_zero_weights (zero-score)
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = torch.softmax(scores * mask, -1) * mask
    return weights @ value, weights


# %% wrong: causal_where_none_is_given (causal-by-default)
def masked_attention(query, key, value, mask=None):
    if mask is None:
        mask = torch.tril(torch.ones(query.size(-2), key.size(-2))).bool()
    weights = masked_softmax(query @ key.transpose(-2, -1) / key.size(-1) ** 0.5, mask)
    return weights @ value, weights
