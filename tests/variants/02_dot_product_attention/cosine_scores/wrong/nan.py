# misconception: divides-by-zero
def cosine_scores(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)
