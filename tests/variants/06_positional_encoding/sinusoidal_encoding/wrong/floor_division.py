# misconception: integer-division
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = 1.0 / 10000 ** (torch.arange(0, dim, 2) // dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe
