# misconception: nothing-masked
def causal_mask(length):
    return torch.full((length, length), True)
