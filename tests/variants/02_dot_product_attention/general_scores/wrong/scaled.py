# misconception: scaled
def general_scores(query, key, w):
    return query @ w @ key.mT / math.sqrt(w.shape[1])
