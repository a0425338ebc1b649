# misconception: multiplied-angle
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
