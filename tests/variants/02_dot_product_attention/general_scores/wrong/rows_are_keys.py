# misconception: transposed
def general_scores(query, key, w):
    return key @ (query @ w).mT
