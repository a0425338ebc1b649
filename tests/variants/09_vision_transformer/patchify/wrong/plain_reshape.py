# misconception: reshape-tears-the-image
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError
    N = (H // patch) * (W // patch)
    return images.reshape(B, N, C * patch * patch)
