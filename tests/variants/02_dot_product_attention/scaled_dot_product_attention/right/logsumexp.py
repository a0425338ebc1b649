def scaled_dot_product_attention(query, key, value):
    s = query @ key.mT / math.sqrt(key.size(-1))
    w = torch.exp(s - s.logsumexp(-1, keepdim=True))
    return w @ value, w
