# misconception: changes-its-input
def scaled_dot_product_attention(query, key, value):
    query /= math.sqrt(query.shape[-1])
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights
