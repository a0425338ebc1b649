# misconception: mean-over-steps
def coverage_penalty(weights):
    covered = weights.mean(dim=1)
    return ((1 - covered) ** 2).sum(dim=1).mean()
