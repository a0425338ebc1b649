def masked_attention(query, key, value, mask=None):
    T, S = query.shape[-2], key.shape[-2]
    allowed = torch.ones(*query.shape[:-1], S, dtype=torch.bool) if mask is None else mask.expand(*query.shape[:-1], S)
    outs, rows = [], []
    for t in range(T):
        s = (query[..., t : t + 1, :] * key).sum(-1) / math.sqrt(key.shape[-1])
        w = masked_softmax(s, allowed[..., t, :])
        rows.append(w)
        outs.append((w[..., None] * value).sum(-2))
    return torch.stack(outs, -2), torch.stack(rows, -2)
