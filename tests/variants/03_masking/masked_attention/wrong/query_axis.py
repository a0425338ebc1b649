# misconception: masks-queries
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask.transpose(-1, -2))
    return weights @ value, weights
