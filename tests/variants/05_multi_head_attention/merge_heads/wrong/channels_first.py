# misconception: features-before-time
def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 1, 3, 2).reshape(b, h * d, t)
