# misconception: no-scale
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return weights @ value, weights
