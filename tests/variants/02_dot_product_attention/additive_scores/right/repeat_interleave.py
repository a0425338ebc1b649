def additive_scores(query, key, w_q, w_k, v):
    t, s = query.shape[-2], key.shape[-2]
    q = (query @ w_q).repeat_interleave(s, dim=-2)
    k = torch.cat([key @ w_k] * t, dim=-2)
    return (torch.tanh(q + k) @ v).reshape(*query.shape[:-2], t, s)
