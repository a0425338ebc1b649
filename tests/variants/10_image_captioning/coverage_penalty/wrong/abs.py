# misconception: absolute-difference
def coverage_penalty(weights):
    return torch.abs(1 - weights.sum(dim=1)).sum(dim=1).mean()
