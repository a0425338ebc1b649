# misconception: absolute-lengths
def cosine_scores(query, key):
    q = query / query.abs().sum(-1, keepdim=True).clamp(min=1e-9)
    k = key / key.abs().sum(-1, keepdim=True).clamp(min=1e-9)
    return q @ k.mT
