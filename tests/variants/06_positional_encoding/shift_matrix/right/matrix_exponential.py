def shift_matrix(offset, dim):
    # the generator of the rotation, exponentiated
    G = torch.zeros(dim, dim, dtype=torch.float64)
    for i in range(dim // 2):
        G[2 * i, 2 * i + 1] = 10000 ** (-2 * i / dim)
        G[2 * i + 1, 2 * i] = -10000 ** (-2 * i / dim)
    return torch.linalg.matrix_exp(offset * G).float()
