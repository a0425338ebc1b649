# misconception: position-and-pair-swapped
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    t = torch.arange(length).float()
    i = torch.arange(dim // 2).float()
    angles = i[None, :] / 10000 ** (2 * t[:, None] / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, dim)
