# misconception: only-keys-normalised
def cosine_scores(query, key):
    length = key.norm(dim=-1, keepdim=True) + 1e-10
    return query @ (key / length).mT
