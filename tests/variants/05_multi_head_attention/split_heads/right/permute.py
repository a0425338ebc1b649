def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.reshape(b, t, heads, d // heads).permute(0, 2, 1, 3)
