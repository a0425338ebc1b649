def rotary(x, positions):
    out = x.clone()
    d = x.size(-1)
    for i in range(d // 2):
        w = positions / 10000 ** (2 * i / d)
        out[..., 2 * i] = x[..., 2 * i] * w.cos() - x[..., 2 * i + 1] * w.sin()
        out[..., 2 * i + 1] = x[..., 2 * i] * w.sin() + x[..., 2 * i + 1] * w.cos()
    return out
