# %% wrong: corners_aligned (corners-aligned)
# lays the corners of the grids over each other: breaks "with the middles of the patches as places
# … align_corners=False"
def resize_positions(positions, side):
    cls, grid = positions[:, :1], positions[:, 1:]
    n = math.isqrt(grid.shape[1])
    D = grid.shape[-1]
    grid = grid.reshape(1, n, n, D).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(side, side), mode="bilinear", align_corners=True)
    grid = grid.permute(0, 2, 3, 1).reshape(1, side * side, D)
    return torch.cat([cls, grid], dim=1)

# %% wrong: features_not_moved (features-torn)
# makes (1, D, n, n) by reshape instead of moving the axis of the features, which mixes places and
# features: breaks "Stretch each feature like a small image"
def resize_positions(positions, side):
    cls, grid = positions[:, :1], positions[:, 1:]
    n = int(grid.shape[1] ** 0.5)
    D = positions.shape[2]
    grid = F.interpolate(
        grid.reshape(1, D, n, n), size=(side, side), mode="bilinear", align_corners=False
    )
    return torch.cat([cls, grid.reshape(1, side * side, D)], dim=1)

# %% wrong: stretched_as_a_line (stretched-as-a-line)
# stretches the n² rows as one long line of places: breaks "The other `n²` rows are an `n` by `n`
# grid"
def resize_positions(positions, side):
    cls, places = positions[:, :1], positions[:, 1:]
    places = F.interpolate(
        places.transpose(1, 2), size=side * side, mode="linear", align_corners=False
    )
    return torch.cat([cls, places.transpose(1, 2)], dim=1)

# %% wrong: antialiased (no name)
# switches antialiasing on, which changes the result when the grid gets smaller: breaks
# "bilinearly … `F.interpolate(…, mode="bilinear", align_corners=False)`" with "`side` may also be
# smaller than `n`"
def resize_positions(positions, side):
    cls, grid = positions.split([1, positions.shape[1] - 1], dim=1)
    n = round(grid.shape[1] ** 0.5)
    grid = grid.unflatten(1, (n, n)).movedim(-1, 1)
    grid = F.interpolate(
        grid, size=(side, side), mode="bilinear", align_corners=False, antialias=True
    )
    return torch.cat([cls, grid.flatten(2).mT], dim=1)

# %% right: hat_functions
# builds the (side, n) matrix of interpolation weights itself and applies it along rows and
# columns by einsum
def resize_positions(positions, side):
    n = math.isqrt(positions.shape[1] - 1)
    place = ((torch.arange(side) + 0.5) * n / side - 0.5).clamp(0, n - 1)
    hat = (1 - (place[:, None] - torch.arange(n)).abs()).clamp(min=0).to(positions)
    grid = positions[0, 1:].view(n, n, -1)
    stretched = torch.einsum("an,bm,nmd->abd", hat, hat, grid)
    return torch.cat([positions[0, :1], stretched.flatten(0, 1)])[None]
