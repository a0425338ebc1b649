# misconception: channels-before-the-grid
def unpatchify(patches, patch, height, width):
    b, n, length = patches.shape
    c = length // patch**2
    x = patches.reshape(b, c, height // patch, width // patch, patch, patch)
    return x.permute(0, 1, 2, 4, 3, 5).reshape(b, c, height, width)
