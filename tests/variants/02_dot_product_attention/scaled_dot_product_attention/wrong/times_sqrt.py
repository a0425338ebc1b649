# misconception: multiplies-by-the-scale
def scaled_dot_product_attention(query, key, value):
    scale = key.shape[-1] ** 0.5
    weights = (query @ key.mT * scale).softmax(-1)
    return weights @ value, weights
