# misconception: same-permutation-twice
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    x = patches.reshape(B, height // patch, width // patch, C, patch, patch)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, C, height, width)
