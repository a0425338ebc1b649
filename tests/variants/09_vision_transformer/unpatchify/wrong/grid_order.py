# misconception: column-by-column
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    x = patches.view(B, width // patch, height // patch, C, patch, patch).permute(0, 3, 1, 4, 2, 5)
    return x.reshape(B, C, height, width)
