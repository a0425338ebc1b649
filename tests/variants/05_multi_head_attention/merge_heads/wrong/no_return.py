# misconception: returns-nothing
def merge_heads(x):
    b, h, t, d = x.shape
    x.transpose(1, 2).reshape(b, t, h * d)
