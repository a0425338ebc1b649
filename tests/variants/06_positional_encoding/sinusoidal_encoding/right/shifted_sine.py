def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    column = torch.arange(dim)
    angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (2 * (column // 2) / dim)
    return torch.sin(angle + math.pi / 2 * (column % 2)).float()  # a cosine is a sine a quarter turn earlier
