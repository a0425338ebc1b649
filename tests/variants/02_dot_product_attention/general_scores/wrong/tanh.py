# misconception: tanh-included
def general_scores(query, key, w):
    return (query @ w @ key.mT).tanh()
