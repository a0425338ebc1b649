# misconception: softmax-on-axis-one
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = F.softmax(scores, dim=1)
    return weights @ value, weights
