# misconception: no-gradient
def general_scores(query, key, w):
    return query.detach() @ w.detach() @ key.detach().mT
