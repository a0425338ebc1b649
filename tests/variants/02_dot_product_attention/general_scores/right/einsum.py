def general_scores(query, key, w):
    return torch.einsum("...ta,ab,...sb->...ts", query, w, key)
