def masked_attention(query, key, value, mask=None):
    by_key = key @ query.mT / math.sqrt(key.shape[-1])  # (..., S, T)
    if mask is not None:
        by_key = by_key.masked_fill(~mask.mT, torch.finfo(by_key.dtype).min)
    w = by_key.softmax(dim=-2).mT
    if mask is not None:
        w = w.masked_fill(~mask, 0.0)
    return w @ value, w
