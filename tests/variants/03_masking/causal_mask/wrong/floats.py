# misconception: not-boolean
def causal_mask(length):
    return torch.tril(torch.ones(length, length))
