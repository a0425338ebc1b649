# misconception: diagonal-only
def shift_matrix(offset, dim):
    w = offset / 10000 ** (torch.arange(0, dim, 2) / dim)
    return torch.diag(w.cos().repeat_interleave(2))
