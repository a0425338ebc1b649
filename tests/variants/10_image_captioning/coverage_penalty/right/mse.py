def coverage_penalty(weights):
    covered = torch.einsum("btr->br", weights)
    return F.mse_loss(covered, torch.ones_like(covered)) * covered.shape[1]
