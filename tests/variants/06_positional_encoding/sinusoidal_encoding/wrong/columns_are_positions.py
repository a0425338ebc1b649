# misconception: transposed
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(dim, length)
    t = torch.arange(length)
    for i in range(dim // 2):
        pe[2 * i] = torch.sin(t / 10000 ** (2 * i / dim))
        pe[2 * i + 1] = torch.cos(t / 10000 ** (2 * i / dim))
    return pe
