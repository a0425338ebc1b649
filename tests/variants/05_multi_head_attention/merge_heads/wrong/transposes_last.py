# misconception: wrong-axes
def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(-1, -2).reshape(b, t, h * d)
