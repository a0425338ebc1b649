# misconception: paired-off
def cosine_scores(query, key):
    return F.cosine_similarity(query, key, dim=-1)
