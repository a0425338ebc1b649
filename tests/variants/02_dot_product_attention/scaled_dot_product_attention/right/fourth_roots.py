def scaled_dot_product_attention(query, key, value):
    r = key.shape[-1] ** 0.25
    weights = ((query / r) @ (key / r).mT).softmax(-1)
    return weights @ value, weights
