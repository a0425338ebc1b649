# misconception: interleaved
def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(b, t, d * h)
