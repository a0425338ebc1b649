def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    angles = torch.arange(length).double()[:, None] / 10000 ** (torch.arange(0, dim, 2).double() / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)
