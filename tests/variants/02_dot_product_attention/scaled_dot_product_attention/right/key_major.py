def scaled_dot_product_attention(query, key, value):
    by_key = key @ query.mT / math.sqrt(key.shape[-1])  # (..., S, T)
    p = torch.softmax(by_key, dim=-2)
    return p.mT @ value, p.mT
