# misconception: one-position-only
def shift_matrix(offset, dim):
    freq = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    p0 = torch.tensor([0.0, 1.0]).repeat(dim // 2)
    pk = torch.stack([(offset * freq).sin(), (offset * freq).cos()], 1).flatten()
    return pk[:, None] * p0[None, :] / (p0 @ p0)
