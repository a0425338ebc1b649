# misconception: zero-score
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores * mask
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
