# misconception: mask-without-an-axis
def masked_mean(x, mask):
    kept = x * mask
    return kept.sum(1) / mask.sum(1)
