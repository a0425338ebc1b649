# misconception: channels-before-the-grid
def unpatchify(patches, patch, height, width):
    b, n, length = patches.shape
    c = length // patch**2
    x = patches.view(b, c, height // patch, width // patch, patch, patch)
    return x.transpose(3, 4).reshape(b, c, height, width)
