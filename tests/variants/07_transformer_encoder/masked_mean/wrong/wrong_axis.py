# misconception: features-averaged
def masked_mean(x, mask):
    return (x * mask.unsqueeze(-1)).mean(dim=2)
