# %% wrong: if_mask (no name)
# asks `if mask` instead of `if mask is not None`, which raises an error for a mask of more than
# one entry; breaks "`mask`: boolean, broadcastable to (..., T, S), or `None`"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, weights

# %% wrong: repaired_too_late (empty-row-nan)
# removes the NaN from the weights only after the output has been computed with them; breaks "A
# query with nothing to attend to gets an output of zeros"
def masked_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / key.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == False, -math.inf)
    weights = F.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, torch.nan_to_num(weights)

# %% wrong: shows_other_weights (weights-before-the-mask)
# returns the softmax of the scores as they were before the mask; breaks "The weights that you
# return are those that were used: they show the mask"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    used = weights
    if mask is not None:
        used = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num()
    return used @ value, weights

# %% wrong: zero_output_uniform_weights (no name)
# zeroes the output of a query that sees nothing but leaves it equal weights; breaks "and weights
# of zeros"
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ value, weights
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    output = (weights @ value).masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return output, weights

# %% right: mask_out_of_none
# makes a mask of True when there is none and attends with einsum
def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) * key.size(-1) ** -0.5
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    alone = ~allowed.any(-1, keepdim=True)
    weights = scores.masked_fill(~(allowed | alone), float("-inf")).softmax(-1).masked_fill(alone, 0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
