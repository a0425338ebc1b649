# misconception: mirrored
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] + i[None, :] >= length - 1
