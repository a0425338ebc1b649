def shift_matrix(offset, dim):
    one = torch.zeros(dim, dim, dtype=torch.float64)
    for i in range(0, dim, 2):
        w = 10000 ** (-i / dim)
        one[i:i + 2, i:i + 2] = torch.tensor([[math.cos(w), math.sin(w)], [-math.sin(w), math.cos(w)]])
    return torch.linalg.matrix_power(one, offset).float()
