# %% wrong: column_number_as_exponent (own-index)
# uses the column number j itself as 2i, so that the cosine gets the frequency of column 2i + 1:
# breaks "Sine and cosine of the same angle stand side by side"
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError("dim has to be even")
    t = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    j = torch.arange(dim, dtype=torch.float32).unsqueeze(0)
    angle = t / 10000 ** (j / dim)
    table = torch.zeros(length, dim)
    table[:, 0::2] = torch.sin(angle[:, 0::2])
    table[:, 1::2] = torch.cos(angle[:, 1::2])
    return table

# %% wrong: two_counted_twice (column-index-for-i)
# arange(0, dim, 2) is 2i already, but the student multiplies by 2 again: breaks "10000^{2i / D}"
# with i = 0, ..., D / 2 - 1
def sinusoidal_encoding(length, dim):
    if dim % 2:
        raise ValueError("odd dim")
    i = torch.arange(0, dim, 2).float()
    omega = 1.0 / 10000 ** (2 * i / dim)
    angles = torch.arange(length).float()[:, None] * omega[None, :]
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(length, dim)

# %% wrong: odd_dim_truncated (odd-allowed)
# thinks an odd dim should simply work (as in many blog posts) and cuts off the last cosine:
# breaks "For an odd `dim` raise a `ValueError`"
def sinusoidal_encoding(length, dim):
    pe = torch.zeros(length, dim)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: dim // 2])
    return pe

# %% wrong: assert_instead_of_raise (unchecked)
# checks the odd dim by assert, which gives an AssertionError: breaks "raise a `ValueError`"
def sinusoidal_encoding(length, dim):
    assert dim % 2 == 0, "dim must be even"
    pe = torch.zeros(length, dim)
    position = torch.arange(length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

# %% right: plain_loops
# nested lists with math.sin and math.cos, made into a tensor at the very end
def sinusoidal_encoding(length, dim):
    if dim & 1:
        raise ValueError(f"dim must be even, not {dim}")
    rows = []
    for t in range(length):
        row = []
        for i in range(dim // 2):
            a = t / 10000 ** (2 * i / dim)
            row += [math.sin(a), math.cos(a)]
        rows.append(row)
    return torch.tensor(rows).reshape(length, dim)
