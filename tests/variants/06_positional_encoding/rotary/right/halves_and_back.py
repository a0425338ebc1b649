def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()

    # regroup into halves, turn as the libraries do, regroup back
    y = torch.cat([x[..., ::2], x[..., 1::2]], -1)
    a, b = y.chunk(2, dim=-1)
    y = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    return y.unflatten(-1, (2, d // 2)).transpose(-1, -2).flatten(-2)
