# misconception: -
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1)
    weights = F.dropout(weights, 0.1)
    return weights @ value, weights
