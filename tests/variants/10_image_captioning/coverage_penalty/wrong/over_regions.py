# misconception: sum-over-regions-first
def coverage_penalty(weights):
    return ((1 - weights.sum(dim=2)) ** 2).sum(dim=1).mean()
