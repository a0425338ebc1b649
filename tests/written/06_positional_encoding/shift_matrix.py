# %% wrong: textbook_rotation (backwards)
# uses the usual rotation matrix (cos, -sin / sin, cos), forgetting that the sine comes first in a
# pair: it goes back in time, breaks "M p_t = p_{t + offset}"
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        b = offset / 10000 ** (2 * i / dim)
        M[2 * i, 2 * i] = math.cos(b)
        M[2 * i, 2 * i + 1] = -math.sin(b)
        M[2 * i + 1, 2 * i] = math.sin(b)
        M[2 * i + 1, 2 * i + 1] = math.cos(b)
    return M

# %% wrong: halves_not_pairs (halves)
# thinks that all sines stand in the first half of p and all cosines in the second: breaks "Pairs
# of columns are (2i, 2i + 1)"
def shift_matrix(offset, dim):
    i = torch.arange(dim // 2).float()
    b = offset / 10000 ** (2 * i / dim)
    c, s = torch.diag(b.cos()), torch.diag(b.sin())
    return torch.cat([torch.cat([c, s], dim=1), torch.cat([-s, c], dim=1)], dim=0)

# %% wrong: negative_refused (no name)
# believes that one can only go forward and raises an error for negative offsets: breaks "it may
# be negative (back in time) or 0"
def shift_matrix(offset, dim):
    if offset < 0:
        raise ValueError("offset must not be negative")
    blocks = []
    for i in range(dim // 2):
        b = offset / 10000 ** (2 * i / dim)
        blocks.append(torch.tensor([[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]]))
    return torch.block_diag(*blocks)

# %% wrong: one_frequency_for_all (one-angle)
# forgets omega_i: all pairs are turned by the offset itself, breaks "b = offset * omega_i"
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    b = torch.tensor(float(offset))
    for k in range(0, dim, 2):
        M[k, k] = M[k + 1, k + 1] = torch.cos(b)
        M[k, k + 1] = torch.sin(b)
        M[k + 1, k] = -torch.sin(b)
    return M

# %% right: matrix_exponential
# writes one step as a skew-symmetric generator and takes its exponential, in double precision
def shift_matrix(offset, dim):
    generator = torch.zeros(dim, dim, dtype=torch.float64)
    even = torch.arange(0, dim, 2)
    omega = torch.tensor(10000.0, dtype=torch.float64) ** (-even.double() / dim)
    generator[even, even + 1] = omega
    generator[even + 1, even] = -omega
    return torch.linalg.matrix_exp(offset * generator).to(torch.float32)
