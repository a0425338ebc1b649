def scaled_dot_product_attention(query, key, value):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / math.sqrt(key.size(-1))
    weights = F.softmax(scores, dim=-1)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights
