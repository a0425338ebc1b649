# misconception: keys-averaged
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.softmax(-1)
    return weights @ key, weights
