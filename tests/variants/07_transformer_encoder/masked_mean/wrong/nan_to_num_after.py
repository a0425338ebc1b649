# misconception: -
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(1) / m.sum(1) + 0 * x.mean(1) * float(mask.any())
