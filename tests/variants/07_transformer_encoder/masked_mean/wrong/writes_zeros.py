# misconception: changes-its-input
def masked_mean(x, mask):
    x[~mask] = 0
    return x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
