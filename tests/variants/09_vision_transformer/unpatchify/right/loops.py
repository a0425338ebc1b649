def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    images = torch.zeros(B, L // (patch * patch), height, width)
    per_row = width // patch
    for n in range(N):
        i, j = divmod(n, per_row)
        images[:, :, i * patch:(i + 1) * patch, j * patch:(j + 1) * patch] = patches[:, n].reshape(B, -1, patch, patch)
    return images
