# misconception: assert-for-raise
def split_heads(x, heads):
    b, t, d = x.shape
    assert d % heads == 0, "heads must divide d"
    return x.reshape(b, t, heads, d // heads).permute(0, 2, 1, 3)
