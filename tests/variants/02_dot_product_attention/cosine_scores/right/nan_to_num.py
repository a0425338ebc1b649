def cosine_scores(query, key):
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return torch.nan_to_num(query @ key.mT / lengths)
