# misconception: only-undershoot
def coverage_penalty(weights):
    return F.relu(1 - weights.sum(dim=1)).pow(2).sum(dim=1).mean()
