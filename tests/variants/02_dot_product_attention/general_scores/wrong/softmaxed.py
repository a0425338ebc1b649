# misconception: softmax-included
def general_scores(query, key, w):
    scores = query @ w @ key.mT
    return scores.softmax(dim=-1)
