def additive_scores(query, key, w_q, w_k, v):
    rows = []
    for t in range(query.shape[-2]):
        row = [torch.tanh(query[..., t, :] @ w_q + key[..., s, :] @ w_k) @ v for s in range(key.shape[-2])]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=-2)
