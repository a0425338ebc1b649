# misconception: not-permuted
def unpatchify(patches, patch, height, width):
    B = len(patches)
    x = patches.reshape(B, height // patch, width // patch, -1, patch, patch)
    x = x.transpose(0, 0)
    return x.reshape(B, x.shape[3], height, width)
