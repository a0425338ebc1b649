# misconception: weights-before-the-mask
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1)
    masked = weights if mask is None else masked_softmax(scores, mask)
    return masked @ value, weights
