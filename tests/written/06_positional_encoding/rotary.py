# %% wrong: rotate_half (halves)
# pairs feature i with feature i + d/2, as many public implementations do: breaks "each pair of
# neighbouring features (x_{2i}, x_{2i+1})"
def rotary(x, positions):
    d = x.shape[-1]
    omega = 10000 ** (-torch.arange(0, d, 2).float() / d)
    a = positions.float()[:, None] * omega  # (T, d/2)
    cos = torch.cat([a.cos(), a.cos()], dim=-1)
    sin = torch.cat([a.sin(), a.sin()], dim=-1)
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-x2, x1], dim=-1) * sin

# %% wrong: positions_ignored (positions-ignored)
# takes step t to stand at position t: breaks "Step t stands at `positions[t]`, a whole number
# (not always t itself)"
def rotary(x, positions):
    T, d = x.shape[-2:]
    omega = 1 / 10000 ** (torch.arange(0, d, 2) / d)
    a = torch.arange(T)[:, None] * omega
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = even * a.cos() - odd * a.sin()
    out[..., 1::2] = even * a.sin() + odd * a.cos()
    return out

# %% wrong: not_interleaved_again (not-interleaved)
# turns the right pairs but puts the results behind each other, first all x'_{2i}, then all
# x'_{2i+1}: breaks the places 2i and 2i + 1 of the result
def rotary(x, positions):
    d = x.shape[-1]
    i = torch.arange(d // 2, dtype=torch.float32)
    a = positions.unsqueeze(1) / 10000 ** (2 * i / d)
    cos, sin = torch.cos(a), torch.sin(a)
    even = x[..., 0::2]
    odd = x[..., 1::2]
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)

# %% wrong: second_line_sees_new_x (overwritten)
# clones x, but computes x'_{2i+1} from the x'_{2i} that was overwritten just before: breaks
# "x'_{2i+1} = x_{2i} sin a + x_{2i+1} cos a"
def rotary(x, positions):
    d = x.shape[-1]
    omega = 1 / 10000 ** (torch.arange(0, d, 2).float() / d)
    a = positions[:, None] * omega
    out = x.clone()
    out[..., 0::2] = out[..., 0::2] * a.cos() - out[..., 1::2] * a.sin()
    out[..., 1::2] = out[..., 0::2] * a.sin() + out[..., 1::2] * a.cos()
    return out

# %% right: complex_numbers
# treats each pair as a complex number and multiplies by e^{ia}
def rotary(x, positions):
    d = x.shape[-1]
    omega = 10000 ** (-torch.arange(0, d, 2).float() / d)
    a = torch.outer(positions.float(), omega)
    turn = torch.polar(torch.ones_like(a), a)  # (T, d/2)
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * turn).flatten(-2)
