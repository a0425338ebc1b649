def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], d // 2, 2))
    turn = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(z * turn).flatten(-2)
