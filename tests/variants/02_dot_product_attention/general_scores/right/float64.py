def general_scores(query, key, w):
    return (query.double() @ w.double() @ key.double().transpose(-2, -1)).float()
