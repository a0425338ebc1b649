# misconception: scaled-twice
def scaled_dot_product_attention(query, key, value):
    d = query.shape[-1]
    query = query / math.sqrt(d)
    key = key / math.sqrt(d)
    weights = (query @ key.transpose(-2, -1)).softmax(-1)
    return weights @ value, weights
