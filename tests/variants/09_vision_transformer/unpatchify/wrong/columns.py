# misconception: column-by-column
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    images = torch.zeros(B, L // patch ** 2, height, width)
    n = 0
    for j in range(0, width, patch):
        for i in range(0, height, patch):
            images[:, :, i:i + patch, j:j + patch] = patches[:, n].reshape(B, -1, patch, patch)
            n += 1
    return images
