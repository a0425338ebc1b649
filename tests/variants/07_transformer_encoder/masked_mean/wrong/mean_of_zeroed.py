# misconception: divided-by-the-length
def masked_mean(x, mask):
    return x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)
