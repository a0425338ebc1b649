# misconception: squared-lengths
def cosine_scores(query, key):
    q2 = (query**2).sum(-1, keepdim=True)
    k2 = (key**2).sum(-1).unsqueeze(-2)
    return torch.nan_to_num(query @ key.mT / (q2 * k2))
