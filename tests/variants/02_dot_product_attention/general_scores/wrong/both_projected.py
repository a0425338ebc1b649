# misconception: w-on-both
def general_scores(query, key, w):
    q = query @ w
    k = key @ w
    return q @ k.mT
