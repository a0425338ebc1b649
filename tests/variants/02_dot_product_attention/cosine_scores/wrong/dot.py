# misconception: no-normalisation
def cosine_scores(query, key):
    return torch.einsum("...td,...sd->...ts", query, key)
