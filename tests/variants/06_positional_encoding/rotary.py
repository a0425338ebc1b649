# %% right: complex
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], d // 2, 2))
    turn = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(z * turn).flatten(-2)


# %% right: halves_and_back
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


# %% right: loop_over_pairs
def rotary(x, positions):
    out = x.clone()
    d = x.size(-1)
    for i in range(d // 2):
        w = positions / 10000 ** (2 * i / d)
        out[..., 2 * i] = x[..., 2 * i] * w.cos() - x[..., 2 * i + 1] * w.sin()
        out[..., 2 * i + 1] = x[..., 2 * i] * w.sin() + x[..., 2 * i + 1] * w.cos()
    return out


# %% right: matrices
def rotary(x, positions):
    d = x.shape[-1]
    out = []
    for t, p in enumerate(positions.tolist()):
        M = torch.zeros(d, d)
        for i in range(0, d, 2):
            w = p / 10000 ** (i / d)
            M[i, i] = M[i + 1, i + 1] = math.cos(w)
            M[i, i + 1], M[i + 1, i] = -math.sin(w), math.sin(w)
        out.append(x[:, :, t] @ M.T)
    return torch.stack(out, dim=2)


# %% right: rotate_pairs
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    cos, sin = cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1)
    other = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)
    return x * cos + other * sin


# %% right: stack
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% right: einsum_with_rotation_matrices
def rotary(x, positions):
    B, H, T, d = x.shape
    angle = torch.einsum("t,i->ti", positions.double(), 1e4 ** (-torch.arange(0, d, 2) / d).double())
    rows = [torch.stack([angle.cos(), -angle.sin()], -1), torch.stack([angle.sin(), angle.cos()], -1)]
    turn = torch.stack(rows, -2)  # (T, d / 2, 2, 2)
    pairs = einops.rearrange(x.double(), "b h t (i two) -> b h t i two", two=2)
    return torch.einsum("tipq,bhtiq->bhtip", turn, pairs).flatten(-2).to(x.dtype)


# %% right: partial_and_helper_class
from functools import partial


class Turn:
    def __init__(self, size, base=10000.0):
        self.speeds = torch.tensor([base ** (-2 * i / size) for i in range(size // 2)])

    def __call__(self, x, at):
        a = self.speeds * at
        even, odd = x[..., ::2], x[..., 1::2]
        y = torch.empty_like(x)
        y[..., ::2] = even * a.cos() - odd * a.sin()
        y[..., 1::2] = odd * a.cos() + even * a.sin()
        return y


def rotary(x, positions):
    turn = partial(Turn(x.shape[-1]))
    return torch.stack([turn(x[:, :, t], at=p) for t, p in enumerate(positions)], dim=2)


# %% right: flipped_pairs
def rotary(x, positions):
    d = x.shape[-1]
    angle = (positions[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)).repeat_interleave(2, dim=-1)
    other = x.unflatten(-1, (-1, 2)).flip(-1) * torch.tensor([-1.0, 1.0])
    return torch.addcmul(x * angle.cos(), other.flatten(-2), angle.sin())


# %% wrong: rotate_half (halves)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


# %% wrong: minus_angle (backwards)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos + b * sin, -a * sin + b * cos
    out = torch.empty_like(x)
    out[..., ::2], out[..., 1::2] = new_a, new_b
    return out


# %% wrong: uses_new_even (overwritten)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    a = a * cos - b * sin
    b = a * sin + b * cos
    return torch.stack([a, b], -1).reshape(x.shape)


# %% wrong: plus_plus (not-a-rotation)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos + b * sin, a * sin + b * cos
    out = torch.empty_like(x)
    out[..., ::2], out[..., 1::2] = new_a, new_b
    return out


# %% wrong: counts_itself (positions-ignored)
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


# %% wrong: joined_by_cat (not-interleaved)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


# %% wrong: i_over_d (pair-index-for-2i)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(d // 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    out = torch.empty_like(x)
    out[..., ::2], out[..., 1::2] = new_a, new_b
    return out


# %% wrong: single_speed (one-frequency)
def rotary(x, positions):
    cos, sin = positions.float().cos()[:, None], positions.float().sin()[:, None]
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% wrong: whole_model (model-size-for-head-size)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / (x.shape[1] * d))
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% wrong: positive_power (multiplied-angle)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% wrong: plus_one (positions-from-one)
def rotary(x, positions):
    positions = positions + 1
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% wrong: adds_encoding (added-not-turned)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    return x + torch.stack([sin, cos], -1).flatten(1)


# %% wrong: cosine (cosine-only)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    return x * cos.repeat_interleave(2, dim=-1)


# %% wrong: unchanged (nothing-turned)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    return x


# %% wrong: detached (no-gradient)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x.detach()[..., ::2], x.detach()[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


# %% wrong: in_place (changes-its-input)
def rotary(x, positions):
    d = x.shape[-1]
    freq = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, None] * freq
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., ::2], x[..., 1::2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    x.data[..., ::2], x.data[..., 1::2] = new_a.data.clone(), new_b.data.clone()
    return x
