# misconception: not-permuted
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.view(B, C, H // patch, patch, W // patch, patch)
    return x.view(B, (H // patch) * (W // patch), C * patch * patch)
