# misconception: softmax-on-axis-zero
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, 0)
    return weights @ value, weights
