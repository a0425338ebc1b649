# misconception: mask-added
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = scores.softmax(-1)
    return weights @ value, weights
