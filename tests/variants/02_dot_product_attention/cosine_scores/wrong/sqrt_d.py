# misconception: scaled-dot
def cosine_scores(query, key):
    return query @ key.mT / key.shape[-1] ** 0.5
