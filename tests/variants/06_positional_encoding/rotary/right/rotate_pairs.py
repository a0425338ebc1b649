def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
    other = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)
    return x * cos + other * sin
