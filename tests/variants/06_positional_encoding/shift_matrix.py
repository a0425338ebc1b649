# %% right: block_diag
def shift_matrix(offset, dim):
    w = offset / 10000 ** (torch.arange(0, dim, 2) / dim)
    blocks = [
        torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in w.tolist()
    ]
    return torch.block_diag(*blocks)


# %% right: kronecker
def shift_matrix(offset, dim):
    w = offset * 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.kron(w.cos().diag(), torch.eye(2, dtype=torch.float64)) + torch.kron(
        w.sin().diag(), turn
    )


# %% right: least_squares
def shift_matrix(offset, dim):
    # solved from many positions instead of written down
    t = torch.arange(4000, dtype=torch.float64)
    p = sinusoidal_encoding
    freq = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    at = lambda t: torch.stack([(t[:, None] * freq).sin(), (t[:, None] * freq).cos()], -1).flatten(
        1
    )
    return torch.linalg.lstsq(at(t), at(t + offset)).solution.T.float()


# %% right: loop
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% right: matrix_exponential
def shift_matrix(offset, dim):
    # the generator of the rotation, exponentiated
    G = torch.zeros(dim, dim, dtype=torch.float64)
    for i in range(dim // 2):
        G[2 * i, 2 * i + 1] = 10000 ** (-2 * i / dim)
        G[2 * i + 1, 2 * i] = -10000 ** (-2 * i / dim)
    return torch.linalg.matrix_exp(offset * G).float()


# %% right: power_of_one_step
def shift_matrix(offset, dim):
    one = torch.zeros(dim, dim, dtype=torch.float64)
    for i in range(0, dim, 2):
        w = 10000 ** (-i / dim)
        one[i : i + 2, i : i + 2] = torch.tensor(
            [[math.cos(w), math.sin(w)], [-math.sin(w), math.cos(w)]]
        )
    return torch.linalg.matrix_power(one, offset).float()


# %% right: einsum_and_masks
def shift_matrix(offset, dim):
    angle = offset * 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    eye, turn = torch.eye(2), torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    blocks = torch.einsum("i,ab->iab", angle.cos(), eye) + torch.einsum("i,ab->iab", angle.sin(), turn)
    same = torch.eye(dim // 2)
    return einops.rearrange(torch.einsum("ij,iab->ijab", same, blocks), "i j a b -> (i a) (j b)")


# %% right: entry_by_entry
def shift_matrix(offset, dim):
    def entry(row, column):
        if row // 2 != column // 2:
            return 0.0
        angle = offset / 10000 ** (row // 2 * 2 / dim)
        if row == column:
            return math.cos(angle)
        return math.copysign(1, column - row) * math.sin(angle)

    return torch.tensor([[entry(i, j) for j in range(dim)] for i in range(dim)])


# %% right: diagonals
def shift_matrix(offset, dim):
    column = torch.arange(dim)
    angle = (offset / 10000 ** (column // 2 * 2 / dim)).double()
    sines = torch.where(column[:-1] % 2 == 0, angle[:-1].sin(), torch.zeros(()).double())
    matrix = angle.cos().diag() + sines.diag(1) - sines.diag(-1)
    return matrix.float()


# %% wrong: textbook (backwards)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), -math.sin(w)
        M[q, p], M[q, q] = math.sin(w), math.cos(w)
    return M


# %% wrong: transposed (backwards)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M.T


# %% wrong: two_plus (not-a-rotation)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = math.sin(w), math.cos(w)
    return M


# %% wrong: two_minus (both-negative)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), -math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: half_layout (halves)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = i, i + dim // 2
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: same_angle (one-angle)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: i_over_d (pair-index-for-2i)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: from_one (index-from-one)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * (i + 1) / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: cosines (diagonal-only)
def shift_matrix(offset, dim):
    w = offset / 10000 ** (torch.arange(0, dim, 2) / dim)
    return torch.diag(w.cos().repeat_interleave(2))


# %% wrong: roll (features-moved)
def shift_matrix(offset, dim):
    return torch.roll(torch.eye(dim), shifts=offset, dims=0)


# %% wrong: outer (one-position-only)
def shift_matrix(offset, dim):
    freq = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    p0 = torch.tensor([0.0, 1.0]).repeat(dim // 2)
    pk = torch.stack([(offset * freq).sin(), (offset * freq).cos()], 1).flatten()
    return pk[:, None] * p0[None, :] / (p0 @ p0)


# %% wrong: eye (identity)
def shift_matrix(offset, dim):
    return torch.eye(dim)


# %% wrong: blocks (rows-for-pairs)
def shift_matrix(offset, dim):
    w = offset * 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    c, s = w.cos(), w.sin()
    return torch.stack([torch.stack([c, s], 1), torch.stack([-s, c], 1)], 1)


# %% wrong: exponent_sign (no name)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset * 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M


# %% wrong: rounded (no name)
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = -math.sin(w), math.cos(w)
    return M.round()
