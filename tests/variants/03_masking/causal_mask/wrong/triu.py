# misconception: sees-only-the-future
def causal_mask(length):
    return torch.triu(torch.ones(length, length)) == 1
