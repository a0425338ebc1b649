def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")

    # as d2l does it: fold the heads into the batch, then give them their axis back
    y = x.reshape(b, t, heads, -1).permute(0, 2, 1, 3).reshape(b * heads, t, -1)
    return y.reshape(b, heads, t, -1)
