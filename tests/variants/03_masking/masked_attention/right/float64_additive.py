def masked_attention(query, key, value, mask=None):
    q, k, v = query.double(), key.double(), value.double()
    s = q @ k.mT / k.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.where(mask, 0.0, -1e12)
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask
    return (w @ v).float(), w.float()
