# misconception: leaks-one-step
def causal_mask(length):
    return torch.tril(torch.ones(length, length), diagonal=1).bool()
