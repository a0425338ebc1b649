def shift_matrix(offset, dim):
    w = offset * 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.kron(w.cos().diag(), torch.eye(2, dtype=torch.float64)) + torch.kron(w.sin().diag(), turn)
