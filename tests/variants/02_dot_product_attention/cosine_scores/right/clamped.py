def cosine_scores(query, key):
    q = query / query.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    k = key / key.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    return q @ k.mT
