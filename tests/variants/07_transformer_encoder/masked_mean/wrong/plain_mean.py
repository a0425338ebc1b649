# misconception: mask-ignored
def masked_mean(x, mask):
    return x.mean(dim=1)
