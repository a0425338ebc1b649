# misconception: interleaved
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    x = x.view(b, t, d // heads, heads)
    return x.permute(0, 3, 1, 2)
