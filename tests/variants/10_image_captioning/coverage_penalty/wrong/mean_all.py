# misconception: mean-over-regions
def coverage_penalty(weights):
    covered = weights.sum(dim=1)
    return F.mse_loss(covered, torch.ones_like(covered))
