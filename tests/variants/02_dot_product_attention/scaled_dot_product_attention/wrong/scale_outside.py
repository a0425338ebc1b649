# misconception: scale-outside-softmax
def scaled_dot_product_attention(query, key, value):
    d_k = query.size(-1)
    weights = F.softmax(query @ key.transpose(-1, -2), dim=-1) / math.sqrt(d_k)
    return weights @ value, weights
