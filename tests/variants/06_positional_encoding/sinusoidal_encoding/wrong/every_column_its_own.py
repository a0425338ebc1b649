# misconception: own-index
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for t in range(length):
        for j in range(dim):
            angle = t / 10000 ** (j / dim)
            pe[t, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return pe
