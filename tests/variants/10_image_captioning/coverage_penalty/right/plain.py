def coverage_penalty(weights):
    return ((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean()
