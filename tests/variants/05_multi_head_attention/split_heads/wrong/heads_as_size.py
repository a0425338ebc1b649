# misconception: size-for-heads
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, t, -1, heads).transpose(1, 2)
