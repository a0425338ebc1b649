# misconception: square-only
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    side = int(math.sqrt(N))
    x = patches.reshape(B, side, side, L // patch ** 2, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, -1, height, width)
