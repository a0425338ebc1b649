# misconception: index-from-one
def sinusoidal_encoding(length, dim):
    if dim % 2 != 0:
        raise ValueError('dim must be even')

    rows = []
    for t in range(length):
        row = []
        for i in range(1, dim // 2 + 1):
            row += [math.sin(t / 10000 ** (2 * i / dim)), math.cos(t / 10000 ** (2 * i / dim))]
        rows.append(row)
    return torch.tensor(rows)
