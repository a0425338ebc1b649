# misconception: changes-its-input
def coverage_penalty(weights):
    penalty = ((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean()
    weights.data.neg_().add_(1)
    return penalty
