# %% right: annotated_transformer
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% right: complex
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError("dim must be even")

    freq = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    turn = torch.polar(
        torch.ones(length, dim // 2, dtype=torch.float64), torch.arange(length)[:, None] * freq
    )
    return torch.view_as_real(turn).flip(-1).flatten(1).float()


# %% right: double_loop
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for t in range(length):
        for i in range(dim // 2):
            angle = t / 10000 ** (2 * i / dim)
            pe[t, 2 * i], pe[t, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return pe


# %% right: double_precision_result
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError("dim must be even")

    angles = torch.arange(length).double()[:, None] / 10000 ** (
        torch.arange(0, dim, 2).double() / dim
    )
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(start_dim=1)


# %% right: outer_stack
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError("dim must be even")
    angles = torch.outer(
        torch.arange(length, dtype=torch.float), torch.logspace(0, -4 + 8 / dim, dim // 2)
    )
    return torch.stack((angles.sin(), angles.cos()), -1).view(length, dim)


# %% right: shifted_sine
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError("dim must be even")

    column = torch.arange(dim)
    angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (2 * (column // 2) / dim)
    # A cosine is a sine a quarter turn earlier
    return torch.sin(angle + math.pi / 2 * (column % 2)).float()


# %% right: helper_class
class Clock:
    def __init__(self, dim):
        self.hands = [10000 ** -(2 * i / dim) for i in range(dim // 2)]

    def __call__(self, t):
        return [f(t * hand) for hand in self.hands for f in (math.sin, math.cos)]


def sinusoidal_encoding(length, dim):
    if dim & 1:
        raise ValueError("odd")
    clock = Clock(dim=dim)
    return torch.tensor([clock(t) for t in range(length)])


# %% right: decorated
def even_only(function):
    def checked(length, dim):
        if divmod(dim, 2)[1] != 0:
            raise ValueError(f"{dim} is odd")
        return function(length, dim)

    return checked


@even_only
def sinusoidal_encoding(length, dim):
    i = torch.arange(dim).div(2, rounding_mode="floor")
    angles = torch.einsum("t,d->td", torch.arange(length).float(), 10000.0 ** (-2 * i / dim))
    return torch.where(torch.arange(dim) % 2 == 1, angles.cos(), angles.sin())


# %% right: einops
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError
    angles = torch.arange(length)[None] * 10000.0 ** (-torch.arange(0, dim, 2)[:, None] / dim)
    return einops.rearrange([angles.sin(), angles.cos()], "two i t -> t (i two)")


# %% wrong: tensor2tensor_layout (halves)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    freq = 1 / 10000 ** (torch.arange(0, dim, 2) / dim)
    angles = torch.outer(torch.arange(length).float(), freq)
    return torch.hstack([angles.sin(), angles.cos()])


# %% wrong: cos_in_even (cosine-first)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.cos(pos * div)
    pe[:, 1::2] = torch.sin(pos * div)
    return pe


# %% wrong: sin_twice (all-sines)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.sin(pos * div)
    return pe


# %% wrong: i_over_d (pair-index-for-2i)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = 10000.0 ** (-torch.arange(dim // 2) / dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: linspace_to_one (exponent-up-to-1)
def sinusoidal_encoding(length, dim):
    if dim % 2:
        raise ValueError("dim must be even")
    exponents = torch.linspace(0, 1, dim // 2)
    angles = torch.arange(length)[:, None] / 10000**exponents
    table = torch.empty(length, dim)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


# %% wrong: double_2i (column-index-for-i)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for pos in range(length):
        for i in range(0, dim, 2):
            pe[pos, i] = math.sin(pos / 10000 ** (2 * i / dim))
            pe[pos, i + 1] = math.cos(pos / 10000 ** (2 * i / dim))
    return pe


# %% wrong: every_column_its_own (own-index)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    pe = torch.zeros(length, dim)
    for t in range(length):
        for j in range(dim):
            angle = t / 10000 ** (j / dim)
            pe[t, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return pe


# %% wrong: slide (index-from-one)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    rows = []
    for t in range(length):
        row = []
        for i in range(1, dim // 2 + 1):
            row += [math.sin(t / 10000 ** (2 * i / dim)), math.cos(t / 10000 ** (2 * i / dim))]
        rows.append(row)
    return torch.tensor(rows)


# %% wrong: times (multiplied)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = 10000.0 ** (torch.arange(0, dim, 2) / dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: one_based (positions-from-one)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(1, length + 1).float()[:, None]
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: thousand (base-1000)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = 1 / torch.pow(torch.tensor(1000.0), torch.arange(0, dim, 2) / dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: log2 (log-of-another-base)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2) * -(math.log2(10000) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: log10 (log10-with-exp)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2) * -(math.log10(10000) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: floor_division (integer-division)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = 1.0 / 10000 ** (torch.arange(0, dim, 2) // dim)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: radians (degrees)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(torch.deg2rad(pos * div))
    pe[:, 1::2] = torch.cos(torch.deg2rad(pos * div))
    return pe


# %% wrong: axes_swapped (position-and-pair-swapped)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    t = torch.arange(length).float()
    i = torch.arange(dim // 2).float()
    angles = i[None, :] / 10000 ** (2 * t[:, None] / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(length, dim)


# %% wrong: columns_are_positions (transposed)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(dim, length)
    t = torch.arange(length)
    for i in range(dim // 2):
        pe[2 * i] = torch.sin(t / 10000 ** (2 * i / dim))
        pe[2 * i + 1] = torch.cos(t / 10000 ** (2 * i / dim))
    return pe


# %% wrong: no_check (unchecked)
def sinusoidal_encoding(length, dim):
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


# %% wrong: odd_cut (odd-allowed)
def sinusoidal_encoding(length, dim):
    pe = torch.zeros(length, dim)
    pos = torch.arange(length)[:, None]
    div = 10000 ** (torch.arange(0, dim, 2) / dim)
    pe[:, 0::2] = torch.sin(pos / div)
    pe[:, 1::2] = torch.cos(pos / div)[:, : dim // 2]
    return pe


# %% wrong: printed_not_returned (returns-nothing)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    print(pe.shape)


# %% wrong: with_batch_axis (no name)
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')
    pe = torch.zeros(length, dim)
    pos = torch.arange(length).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe.unsqueeze(0)


# %% wrong: stacked_then_reshaped (rows-interleaved)
def sinusoidal_encoding(length, dim):
    if dim % 2:
        raise ValueError("odd")
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, dim, 2) / dim)
    return torch.stack([angles.sin(), angles.cos()]).reshape(length, dim)


# %% wrong: doubled_column_number (column-index-for-i)
def sinusoidal_encoding(length, dim):
    if dim % 2:
        raise ValueError("odd")
    t = torch.arange(length)[:, None]
    angles = t / 10000 ** (2 * torch.arange(dim) / dim)
    out = torch.zeros(length, dim)
    out[:, 0::2] = angles[:, 0::2].sin()
    out[:, 1::2] = angles[:, 1::2].cos()
    return out
