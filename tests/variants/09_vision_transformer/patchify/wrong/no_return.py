# misconception: returns-nothing
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    out = out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)
