# misconception: one-norm-for-all
def cosine_scores(query, key):
    return (query @ key.mT) / (torch.norm(query) * torch.norm(key))
