# misconception: square-only
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    n = H // patch
    x = images.reshape(B, C, n, patch, n, patch).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, n * n, C * patch * patch)
