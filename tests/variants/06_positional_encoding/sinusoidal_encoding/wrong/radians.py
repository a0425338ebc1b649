# misconception: degrees
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(torch.deg2rad(pos * div))
    pe[:, 1::2] = torch.cos(torch.deg2rad(pos * div))
    return pe
