def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for t in range(length):
        for i in range(dim // 2):
            angle = t / 10000 ** (2 * i / dim)
            pe[t, 2 * i], pe[t, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return pe
