def coverage_penalty(weights):
    return torch.linalg.vector_norm(weights.sum(1) - 1, dim=-1).square().mean()
