def general_scores(query, key, w):
    return query @ (key @ w.T).mT
