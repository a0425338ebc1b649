def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT
    scores /= math.sqrt(key.size(-1))
    weights = softmax(scores)
    return weights @ value, weights
