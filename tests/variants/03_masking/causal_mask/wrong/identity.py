# misconception: only-itself
def causal_mask(length):
    return torch.eye(length) > 0
