def cosine_scores(query, key):
    return F.cosine_similarity(query[..., :, None, :], key[..., None, :, :], dim=-1)
