def cosine_scores(query, key):
    lengths = (query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)) + 1e-9
    return torch.einsum("...td,...sd->...ts", query, key) / lengths
