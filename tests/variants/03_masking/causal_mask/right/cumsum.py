def causal_mask(length):
    return torch.eye(length).cumsum(dim=1).T > 0
