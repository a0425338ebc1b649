def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    h, w = height // patch, width // patch
    x = patches.view(B, h, w, C, patch, patch).permute(0, 3, 1, 4, 2, 5)
    return x.contiguous().view(B, C, height, width)
