# misconception: sentences-mixed
def masked_mean(x, mask):
    return x[mask].mean(dim=0)
