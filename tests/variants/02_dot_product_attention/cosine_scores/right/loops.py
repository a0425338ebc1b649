def cosine_scores(query, key):
    rows = []
    for t in range(query.shape[-2]):
        q = query[..., t, :]
        rows.append(torch.stack([F.cosine_similarity(q, key[..., s, :], dim=-1) for s in range(key.shape[-2])], dim=-1))
    return torch.stack(rows, dim=-2)
