# misconception: rows-for-pairs
def shift_matrix(offset, dim):
    w = offset * 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    c, s = w.cos(), w.sin()
    return torch.stack([torch.stack([c, s], 1), torch.stack([-s, c], 1)], 1)
