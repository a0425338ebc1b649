def scaled_dot_product_attention(query, key, value):
    q, k = query.movedim(-2, 0), key.movedim(-2, 0)  # (T, ..., D), (S, ..., D)
    scores = torch.einsum("i...d,j...d->ij...", q, k) / math.sqrt(q.shape[-1])
    w = scores.softmax(dim=1)
    out = torch.einsum("ij...,j...d->i...d", w, value.movedim(-2, 0))
    return out.movedim(0, -2), w.movedim((0, 1), (-2, -1))
