def unpatchify(patches, patch, height, width):
    tiles = [p.reshape(len(patches), -1, patch, patch) for p in patches.unbind(1)]
    per_row = width // patch
    rows = [torch.cat(tiles[i:i + per_row], dim=3) for i in range(0, len(tiles), per_row)]
    return torch.cat(rows, dim=2)
