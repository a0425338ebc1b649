# misconception: keys-missing
def general_scores(query, key, w):
    return torch.matmul(query, w)
