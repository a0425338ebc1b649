def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")

    size = d // heads
    out = x.new_zeros(b, heads, t, size)
    for h in range(heads):
        out[:, h] = x[:, :, h * size:(h + 1) * size]
    return out
