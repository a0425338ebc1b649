# %% wrong: penalty_of_1000 (fill-not-low-enough)
# adds a penalty of -1000 to forbidden scores, after which one of 900 is still above allowed ones
# near -300; breaks "a forbidden one must still not win; and it may be the forbidden one that has
# the highest score by far"
def masked_softmax(scores, mask):
    penalty = (~mask).to(scores.dtype) * -1000.0
    weights = torch.softmax(scores + penalty, dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)

# %% wrong: renormalise_afterwards (renormalised-after)
# takes the softmax of everything, zeroes the forbidden weights and divides by what is left, which
# is nothing if a forbidden score was far higher; breaks "the allowed ones of a row sum to 1"
def masked_softmax(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.clamp(min=1e-12)

# %% wrong: mask_as_index (no name)
# indexes the scores with the mask, which raises an error when the mask must be stretched to (B,
# T, S); breaks "`mask` boolean and broadcastable to it"
def masked_softmax(scores, mask):
    scores = scores.clone()
    scores[~mask] = float("-inf")
    return torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)

# %% wrong: empty_rows_uniform (empty-row-uniform)
# fills with the lowest finite number, so a row with nothing allowed gets equal weights; breaks "a
# row with nothing allowed is all zeros"
def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    return F.softmax(torch.where(mask, scores, lowest), dim=-1)

# %% right: allowed_maximum_by_hand
# exponentials relative to the largest allowed score, with safe values for empty rows
def masked_softmax(scores, mask):
    low = scores.masked_fill(~mask, -4000.0)
    top = low.amax(-1, keepdim=True)
    e = torch.exp(low - top) * mask
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))
