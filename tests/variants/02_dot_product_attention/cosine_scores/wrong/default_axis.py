# misconception: normalised-along-axis-one
def cosine_scores(query, key):
    return F.normalize(query) @ F.normalize(key).transpose(-1, -2)
