# misconception: three-channels
def unpatchify(patches, patch, height, width):
    B = patches.shape[0]
    x = patches.view(B, height // patch, width // patch, 3, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, 3, height, width)
