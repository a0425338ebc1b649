# misconception: view-for-transpose
def merge_heads(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h * d)
