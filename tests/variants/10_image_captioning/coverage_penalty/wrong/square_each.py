# misconception: squared-before-summing
def coverage_penalty(weights):
    return ((1 - weights) ** 2).sum(dim=1).sum(dim=1).mean()
