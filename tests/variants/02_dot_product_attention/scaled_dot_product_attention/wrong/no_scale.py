# misconception: no-scale
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    return weights @ value, weights
