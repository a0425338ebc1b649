def shift_matrix(offset, dim):
    w = offset / 10000 ** (torch.arange(0, dim, 2) / dim)
    blocks = [torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in w.tolist()]
    return torch.block_diag(*blocks)
