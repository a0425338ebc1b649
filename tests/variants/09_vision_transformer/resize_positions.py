# %% right: permute
def resize_positions(positions, side):
    cls, rest = positions[:, :1], positions[:, 1:]
    n = math.isqrt(rest.shape[1])
    grid = rest.reshape(1, n, n, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(side, side), mode="bilinear", align_corners=False)
    return torch.cat([cls, grid.permute(0, 2, 3, 1).reshape(1, side * side, -1)], 1)


# %% right: upsample_module
def resize_positions(positions, side):
    first, *_ = positions.split([1, positions.shape[1] - 1], dim=1)
    n = int((positions.shape[1] - 1) ** 0.5)
    grid = positions[:, 1:].transpose(1, 2).unflatten(-1, (n, n))
    grid = nn.Upsample(size=side, mode="bilinear")(grid)
    return torch.cat((first, grid.flatten(2).transpose(1, 2)), dim=1)


# %% right: by_matrices
def resize_positions(positions, side):
    n = round((positions.shape[1] - 1) ** 0.5)
    at = ((torch.arange(side) + 0.5) * n / side - 0.5).clamp(0, n - 1)
    low = at.floor().long()
    high = (low + 1).clamp(max=n - 1)
    part = at - low
    mix = F.one_hot(low, n) * (1 - part)[:, None] + F.one_hot(high, n) * part[:, None]
    grid = positions[0, 1:].reshape(n, n, -1)
    out = torch.einsum("ia,jb,abd->ijd", mix, mix, grid)
    return torch.cat([positions[0, :1], out.flatten(0, 1)])[None]


# %% right: feature_by_feature
def resize_positions(positions, side):
    n = int(round((positions.size(1) - 1) ** 0.5))
    columns = []
    for feature in positions[0, 1:].T:
        image = feature.view(1, 1, n, n)
        columns.append(F.interpolate(image, (side, side), mode="bilinear").flatten())
    return torch.cat([positions[:, :1], torch.stack(columns, -1)[None]], 1)


# %% wrong: one_line (stretched-as-a-line)
def resize_positions(positions, side):
    rest = positions[:, 1:].transpose(1, 2)
    rest = F.interpolate(rest, size=side**2, mode="linear").transpose(1, 2)
    return torch.cat([positions[:, :1], rest], 1)


# %% wrong: cls_in_line (stretched-as-a-line)
def resize_positions(positions, side):
    return F.interpolate(positions.transpose(1, 2), side**2 + 1, mode="linear").transpose(1, 2)


# %% wrong: view_only (features-torn)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].reshape(1, -1, n, n)
    grid = F.interpolate(grid, (side, side), mode="bilinear")
    return torch.cat([positions[:, :1], grid.flatten(2).transpose(1, 2)], 1)


# %% wrong: view_back (torn-on-the-way-back)
def resize_positions(positions, side):
    n, d = math.isqrt(positions.shape[1] - 1), positions.shape[2]
    grid = positions[:, 1:].reshape(1, n, n, d).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, (side, side), mode="bilinear")
    return torch.cat([positions[:, :1], grid.reshape(1, side * side, d)], 1)


# %% wrong: corners (corners-aligned)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    grid = F.interpolate(grid, (side, side), mode="bilinear", align_corners=True)
    return torch.cat([positions[:, :1], grid.flatten(2).mT], 1)


# %% wrong: default_mode (nearest-place)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    return torch.cat([positions[:, :1], F.interpolate(grid, (side, side)).flatten(2).mT], 1)


# %% wrong: cubic (bicubic)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    grid = F.interpolate(grid, (side, side), mode="bicubic")
    return torch.cat([positions[:, :1], grid.flatten(2).mT], 1)


# %% wrong: no_cls (cls-lost)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    return F.interpolate(grid, (side, side), mode="bilinear").flatten(2).mT


# %% wrong: cls_last (cls-at-the-end)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    grid = F.interpolate(grid, (side, side), mode="bilinear").flatten(2).mT
    return torch.cat([grid, positions[:, :1]], 1)


# %% wrong: down_the_columns (rows-and-columns-swapped)
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    grid = positions[:, 1:].mT.reshape(1, -1, n, n)
    grid = F.interpolate(grid, (side, side), mode="bilinear")
    return torch.cat([positions[:, :1], grid.permute(0, 3, 2, 1).flatten(1, 2)], 1)


# %% wrong: cut_or_repeated (no name)
def resize_positions(positions, side):
    rows = torch.arange(side * side) % (positions.shape[1] - 1) + 1
    return torch.cat([positions[:, :1], positions[:, rows]], 1)
