# misconception: column-index-for-i
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for pos in range(length):
        for i in range(0, dim, 2):
            pe[pos, i] = math.sin(pos / 10000 ** (2 * i / dim))
            pe[pos, i + 1] = math.cos(pos / 10000 ** (2 * i / dim))
    return pe
