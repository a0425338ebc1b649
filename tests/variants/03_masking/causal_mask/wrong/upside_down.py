# misconception: mirrored
def causal_mask(length):
    return torch.tensor([[j <= length - 1 - i for j in range(length)] for i in range(length)])
