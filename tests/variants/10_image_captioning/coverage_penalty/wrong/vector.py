# misconception: per-caption
def coverage_penalty(weights):
    return torch.pow(1 - weights.sum(dim=1), 2).sum(dim=1)
