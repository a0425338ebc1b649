# misconception: normalised-along-the-sequence
def cosine_scores(query, key):
    q = query / query.norm(dim=-2, keepdim=True)
    k = key / key.norm(dim=-2, keepdim=True)
    return q @ k.mT
