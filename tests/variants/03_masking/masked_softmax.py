# %% right: additive
def masked_softmax(scores, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, -1e9)
    return (scores + bias).softmax(-1) * mask.float()


# %% right: exp_of_shifted_valid_scores
def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True)
    e = (
        torch.exp((scores - torch.where(top.isfinite(), top, torch.zeros_like(top))).clamp(max=0))
        * mask
    )
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20)


# %% right: exp_times_mask
def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True)
    e = torch.exp(torch.where(mask, scores - top, torch.zeros_like(scores))) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20)


# %% right: finfo_min
def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return F.softmax(filled, dim=-1).masked_fill(~mask, 0)


# %% right: float64_logsumexp
def masked_softmax(scores, mask):
    s = scores.double().masked_fill(~mask, -1e30)
    w = (s - s.logsumexp(-1, keepdim=True)).exp()
    return (w * mask).float()


# %% right: log_mask
def masked_softmax(scores, mask):
    something = mask.any(-1, keepdim=True)
    bias = torch.where(something, mask.float(), torch.ones(())).log()
    return (scores + bias).softmax(-1) * something


# %% right: minus_billion
def masked_softmax(scores, mask):
    return F.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask


# %% right: minus_infinity
def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% right: row_by_row
def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    flat, allowed = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for s, m in zip(flat, allowed):
        row = torch.zeros_like(s)
        if m.any():
            row = row.masked_scatter(m, torch.softmax(s[m], dim=0))
        rows.append(row)
    return torch.stack(rows).reshape(scores.shape)


# %% wrong: filled_with_zero (zero-score)
def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask == False, 0), dim=-1)


# %% wrong: multiplied (zero-score)
def masked_softmax(scores, mask):
    return F.softmax(scores * mask.float(), dim=-1)


# %% wrong: tiny_positive (sign-lost)
def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, 1e-9), dim=-1)


# %% wrong: minus_hundred (fill-not-low-enough)
def masked_softmax(scores, mask):
    filled = scores.clone()
    filled[~mask.expand_as(scores)] = -100
    return torch.softmax(filled, dim=-1)


# %% wrong: minus_ten (fill-not-low-enough)
def masked_softmax(scores, mask):
    return torch.softmax(torch.where(mask, scores, torch.tensor(-10.0)), dim=-1)


# %% wrong: zeroed_weights (not-renormalised)
def masked_softmax(scores, mask):
    weights = F.softmax(scores, dim=-1)
    return weights.masked_fill(~mask, 0.0)


# %% wrong: exp_times_mask_shifted (renormalised-after)
def masked_softmax(scores, mask):
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    return e / e.sum(-1, keepdim=True)


# %% wrong: renormalised_clamped (renormalised-after)
def masked_softmax(scores, mask):
    weights = F.softmax(scores, dim=-1) * mask
    return weights / torch.clamp(weights.sum(dim=-1, keepdim=True), min=1e-9)


# %% wrong: renormalised_nan (renormalised-after)
def masked_softmax(scores, mask):
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)


# %% wrong: polarity (inverted)
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(-1)


# %% wrong: polarity_safe (inverted)
def masked_softmax(scores, mask):
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights, nan=0.0)


# %% wrong: zero_times_inf (zero-times-infinity)
def masked_softmax(scores, mask):
    penalty = (1 - mask.float()) * float("-inf")
    return (scores + penalty).softmax(dim=-1)


# %% wrong: thrown_away (mask-ignored)
def masked_softmax(scores, mask):
    scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1)


# %% wrong: nan_rows (empty-row-nan)
def masked_softmax(scores, mask):
    return torch.softmax(torch.where(mask, scores, -torch.inf), dim=-1)


# %% wrong: uniform_rows (empty-row-uniform)
def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


# %% wrong: query_axis (masks-queries)
def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))
    return filled.softmax(-1).nan_to_num(0.0)


# %% wrong: filled_naive_exp (overflow)
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -torch.inf)
    e = torch.exp(scores)
    return torch.nan_to_num(e / e.sum(-1, keepdim=True))


# %% wrong: naive_exp (overflow)
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / total, torch.zeros_like(e)).nan_to_num(0.0)


# %% wrong: exp_times_mask_unsafe (nothing-to-share)
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    return e / e.sum(-1, keepdim=True)


# %% wrong: epsilon_added (epsilon-in-the-sum)
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    return e / (e.sum(-1, keepdim=True) + 1e-9)


# %% wrong: epsilon_clamped (epsilon-in-the-sum)
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-12)


# %% wrong: over_queries (softmax-over-queries)
def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-2)
    return weights.nan_to_num(0.0)


# %% wrong: no_softmax (scores-returned)
def masked_softmax(scores, mask):
    return torch.where(mask, scores, float("-inf"))


# %% wrong: added (mask-added)
def masked_softmax(scores, mask):
    return F.softmax(scores + mask.float(), dim=-1)


# %% wrong: in_place (changes-its-input)
def masked_softmax(scores, mask):
    scores[~mask.expand_as(scores)] = -1e9
    return F.softmax(scores, dim=-1) * mask


# %% wrong: one_row_rule (no name)
def masked_softmax(scores, mask):
    if not mask.any():
        return torch.zeros_like(scores)
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)


# %% wrong: log_mask_then_where (nan-gradient)
def masked_softmax(scores, mask):
    weights = (scores + mask.float().log()).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))


# %% wrong: added_infinity_nan_to_num (nan-gradient)
def masked_softmax(scores, mask):
    bias = torch.where(mask, 0.0, -torch.inf)
    return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)


# %% wrong: minus_hundred_times_mask (fill-not-low-enough)
def masked_softmax(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -100), dim=-1) * mask


# %% wrong: minus_thousand (fill-not-low-enough)
def masked_softmax(scores, mask):
    return F.softmax(torch.where(mask, scores, torch.tensor(-1000.0)), dim=-1) * mask


# %% wrong: detached (no-gradient)
def masked_softmax(scores, mask):
    weights = scores.detach().masked_fill(~mask, -torch.inf).softmax(-1)
    return weights.nan_to_num(0.0)


# %% wrong: zero_scores_zero_weights (zero-score)
def masked_softmax(scores, mask):
    return torch.softmax(scores * mask, -1) * mask
