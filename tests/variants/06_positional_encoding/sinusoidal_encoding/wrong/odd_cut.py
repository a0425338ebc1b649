# misconception: odd-allowed
def sinusoidal_encoding(length, dim):
    pe = torch.zeros(length, dim)
    pos = torch.arange(length)[:, None]
    div = 10000 ** (torch.arange(0, dim, 2) / dim)
    pe[:, 0::2] = torch.sin(pos / div)
    pe[:, 1::2] = torch.cos(pos / div)[:, : dim // 2]
    return pe
