def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    freq = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    turn = torch.polar(torch.ones(length, dim // 2, dtype=torch.float64), torch.arange(length)[:, None] * freq)
    return torch.view_as_real(turn).flip(-1).flatten(1).float()
