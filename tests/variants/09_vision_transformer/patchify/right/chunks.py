def patchify(images, patch):
    H, W = images.shape[2:]
    if H % patch or W % patch:
        raise ValueError("patch does not fit")
    out = []
    for row in images.split(patch, dim=2):
        out += [tile.flatten(1) for tile in row.split(patch, dim=3)]
    return torch.stack(out, 1)
