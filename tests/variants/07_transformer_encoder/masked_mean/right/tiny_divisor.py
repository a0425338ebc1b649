def masked_mean(x, mask):
    m = mask[:, :, None].to(x.dtype)
    return (x * m).sum(1) / (m.sum(1) + 1e-9)
