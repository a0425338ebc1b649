# misconception: -
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ value, weights
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return (weights @ value).nan_to_num(0.0), weights
