# misconception: checks-one-side
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch:
        raise ValueError("height")
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    return out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)
