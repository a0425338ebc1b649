def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    angles = torch.outer(torch.arange(length, dtype=torch.float), torch.logspace(0, -4 + 8 / dim, dim // 2))
    return torch.stack((angles.sin(), angles.cos()), -1).view(length, dim)
