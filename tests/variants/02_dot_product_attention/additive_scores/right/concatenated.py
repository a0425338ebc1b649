def additive_scores(query, key, w_q, w_k, v):
    t, s = query.shape[-2], key.shape[-2]
    q = query.unsqueeze(-2).expand(*query.shape[:-1], s, query.shape[-1])
    k = key.unsqueeze(-3).expand(*key.shape[:-2], t, s, key.shape[-1])
    return torch.tanh(torch.cat([q, k], dim=-1) @ torch.cat([w_q, w_k], dim=0)) @ v
