# misconception: fill-not-low-enough
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -10)
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
