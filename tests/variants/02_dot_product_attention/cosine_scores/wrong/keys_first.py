# misconception: transposed
def cosine_scores(query, key):
    return F.normalize(key, dim=-1) @ F.normalize(query, dim=-1).mT
