def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch != 0 or W % patch != 0:
        raise ValueError("patch does not divide the image")
    x = images.view(B, C, H // patch, patch, W // patch, patch)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, -1, C * patch * patch)
