def general_scores(query, key, w):
    rows = []
    for t in range(query.shape[-2]):
        projected = query[..., t, :] @ w
        rows.append(torch.stack([(projected * key[..., s, :]).sum(-1) for s in range(key.shape[-2])], dim=-1))
    return torch.stack(rows, dim=-2)
