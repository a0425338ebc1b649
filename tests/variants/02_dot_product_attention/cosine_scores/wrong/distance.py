# misconception: cosine-distance
def cosine_scores(query, key):
    return 1 - F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
