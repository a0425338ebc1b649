def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask
