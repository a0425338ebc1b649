# misconception: crops-silently
def patchify(images, patch):
    B, C, H, W = images.shape
    h, w = H // patch, W // patch
    x = images[:, :, :h * patch, :w * patch].reshape(B, C, h, patch, w, patch)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, h * w, C * patch ** 2)
