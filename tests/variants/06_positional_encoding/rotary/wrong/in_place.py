# misconception: changes-its-input
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    x.data[..., ::2], x.data[..., 1::2] = new_a.data.clone(), new_b.data.clone()
    return x
