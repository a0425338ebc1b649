def scaled_dot_product_attention(query, key, value):
    rows, outs = [], []
    for t in range(query.shape[-2]):
        q = query[..., t : t + 1, :]
        scores = (q * key).sum(-1) / key.shape[-1] ** 0.5  # (..., S)
        w = F.softmax(scores, dim=-1)
        rows.append(w)
        outs.append((w.unsqueeze(-1) * value).sum(-2))
    return torch.stack(outs, dim=-2), torch.stack(rows, dim=-2)
