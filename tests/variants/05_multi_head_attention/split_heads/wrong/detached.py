# misconception: no-gradient
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.detach().view(b, t, heads, -1).transpose(1, 2)
