# misconception: channels-last
def patchify(images, patch):
    B, H, W, C = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.reshape(B, H // patch, patch, W // patch, patch, C)
    x = x.permute(0, 1, 3, 5, 2, 4)
    return x.reshape(B, (H // patch) * (W // patch), -1)
