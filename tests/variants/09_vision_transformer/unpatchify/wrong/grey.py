# misconception: one-channel
def unpatchify(patches, patch, height, width):
    B, N, _ = patches.shape
    x = patches.reshape(B, height // patch, width // patch, 1, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, 1, height, width)
