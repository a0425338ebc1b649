# misconception: scale-outside-softmax
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    weights = weights / math.sqrt(key.shape[-1])
    return weights @ value, weights
