# misconception: no-gradient
def coverage_penalty(weights):
    return torch.tensor(((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean().item())
