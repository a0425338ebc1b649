# misconception: remainder-dropped
def split_heads(x, heads):
    b, t, d = x.shape
    size = d // heads
    out = torch.zeros(b, heads, t, size)
    for h in range(heads):
        out[:, h] = x[:, :, h * size:(h + 1) * size]
    return out
