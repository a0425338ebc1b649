# misconception: not-a-rotation
def shift_matrix(offset, dim):
    M = torch.zeros(dim, dim)
    for i in range(dim // 2):
        w = offset / 10000 ** (2 * i / dim)
        p, q = 2 * i, 2 * i + 1
        M[p, p], M[p, q] = math.cos(w), math.sin(w)
        M[q, p], M[q, q] = math.sin(w), math.cos(w)
    return M
