# misconception: -
def general_scores(query, key, w):
    return torch.bmm(query @ w, key.transpose(1, 2))
