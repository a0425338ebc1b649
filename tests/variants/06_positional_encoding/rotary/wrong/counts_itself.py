# misconception: positions-ignored
def rotary(x, positions):
    positions = torch.arange(x.shape[2])
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    out = torch.empty_like(x)
    out[..., ::2], out[..., 1::2] = new_a, new_b
    return out
