# misconception: returns-nothing
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    x = x.view(b, t, heads, d // heads).transpose(1, 2)
