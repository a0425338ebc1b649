# misconception: heads-averaged
def merge_heads(x):
    return x.mean(dim=1)
