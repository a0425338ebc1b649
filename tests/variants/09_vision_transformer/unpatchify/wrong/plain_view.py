# misconception: reshape-tears-the-image
def unpatchify(patches, patch, height, width):
    return patches.contiguous().view(patches.shape[0], -1, height, width)
