# misconception: only-weights
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(query @ key.mT / math.sqrt(key.size(-1)), dim=-1)
    output = weights @ value
    return weights
