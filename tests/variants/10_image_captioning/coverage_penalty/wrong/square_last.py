# misconception: squared-after-summing
def coverage_penalty(weights):
    return ((1 - weights.sum(dim=1)).sum(dim=-1)).pow(2).mean()
