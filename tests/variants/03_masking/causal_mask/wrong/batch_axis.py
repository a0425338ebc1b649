# misconception: extra-axis
def causal_mask(length):
    return torch.ones(1, length, length).tril().bool()
