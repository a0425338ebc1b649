def unpatchify(patches, patch, height, width):
    grid = patches.mT.unflatten(2, (height // patch, width // patch))
    return F.pixel_shuffle(grid, patch)
