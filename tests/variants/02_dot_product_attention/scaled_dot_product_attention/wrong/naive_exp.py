# misconception: overflow
def scaled_dot_product_attention(query, key, value):
    e = torch.exp(query @ key.mT / math.sqrt(key.size(-1)))
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights @ value, weights
