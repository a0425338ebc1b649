# misconception: needs-a-mask
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)
    return weights @ value, weights
