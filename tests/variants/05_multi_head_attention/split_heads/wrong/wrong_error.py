# misconception: -
def split_heads(x, heads):
    if x.shape[-1] % heads:
        raise TypeError("heads must divide the features")
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
