# misconception: one-frequency
def rotary(x, positions):
    cos, sin = positions.float().cos()[:, None], positions.float().sin()[:, None]
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
