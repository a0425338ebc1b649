def general_scores(query, key, w):
    t, s = query.shape[-2], key.shape[-2]
    q = query.unsqueeze(-2).expand(*query.shape[:-1], s, query.shape[-1]).contiguous()
    k = key.unsqueeze(-3).expand(*key.shape[:-2], t, *key.shape[-2:]).contiguous()
    return F.bilinear(q, k, w.unsqueeze(0)).squeeze(-1)
