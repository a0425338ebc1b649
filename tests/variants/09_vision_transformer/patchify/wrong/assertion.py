# misconception: assert-for-raise
def patchify(images, patch):
    b, c, h, w = images.shape
    assert h % patch == 0 and w % patch == 0, "patch must divide the image"
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    return out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)
