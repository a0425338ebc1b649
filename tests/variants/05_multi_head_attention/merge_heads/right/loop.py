def merge_heads(x):
    b, h, t, d = x.shape

    rows = []
    for i in range(t):
        rows.append(torch.hstack([x[:, j, i] for j in range(h)]))
    return torch.stack(rows, dim=1)
