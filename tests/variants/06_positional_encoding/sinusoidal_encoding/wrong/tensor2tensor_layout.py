# misconception: halves
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    freq = 1 / 10000 ** (torch.arange(0, dim, 2) / dim)
    angles = torch.outer(torch.arange(length).float(), freq)
    return torch.hstack([angles.sin(), angles.cos()])
