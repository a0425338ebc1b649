# misconception: paired-off
def general_scores(query, key, w):
    projected = query @ w
    return torch.sum(projected * key, dim=-1)
