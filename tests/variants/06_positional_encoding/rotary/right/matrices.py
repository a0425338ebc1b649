def rotary(x, positions):
    d = x.shape[-1]
    out = []
    for t, p in enumerate(positions.tolist()):
        M = torch.zeros(d, d)
        for i in range(0, d, 2):
            w = p / 10000 ** (i / d)
            M[i, i] = M[i + 1, i + 1] = math.cos(w)
            M[i, i + 1], M[i + 1, i] = -math.sin(w), math.sin(w)
        out.append(x[:, :, t] @ M.T)
    return torch.stack(out, dim=2)
