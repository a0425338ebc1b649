# misconception: inverted
def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).bool()
