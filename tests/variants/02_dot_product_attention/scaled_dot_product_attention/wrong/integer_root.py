# misconception: -
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / math.isqrt(key.shape[-1])).softmax(-1)
    return weights @ value, weights
