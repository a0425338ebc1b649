def causal_mask(length):
    return padding_mask(torch.arange(1, length + 1), length)
