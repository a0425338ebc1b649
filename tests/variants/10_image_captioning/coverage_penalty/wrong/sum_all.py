# misconception: sum-over-batch
def coverage_penalty(weights):
    return torch.sum((1 - torch.sum(weights, dim=1)) ** 2)
