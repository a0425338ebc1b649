# misconception: reshape-tears-the-image
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    return patches.reshape(B, L // patch ** 2, height, width)
