# misconception: strided-sampling
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.reshape(B, C, patch, H // patch, patch, W // patch).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, (H // patch) * (W // patch), C * patch * patch)
