# misconception: mask-ignored
def masked_mean(x, mask):
    return F.adaptive_avg_pool1d(x.transpose(1, 2), 1).squeeze(-1)
