# misconception: view-into-the-batch
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b * heads, -1, d // heads)
