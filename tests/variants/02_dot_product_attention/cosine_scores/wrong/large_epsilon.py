# misconception: -
def cosine_scores(query, key):
    q = query / (query.norm(dim=-1, keepdim=True) + 1e-2)
    k = key / (key.norm(dim=-1, keepdim=True) + 1e-2)
    return q @ k.mT
