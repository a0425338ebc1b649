# misconception: -
def causal_mask(length):
    return torch.ones(8, 8, dtype=torch.bool).tril()
