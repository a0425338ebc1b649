# misconception: pixels-transposed
def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    x = images.unfold(2, patch, patch).unfold(3, patch, patch)
    x = x.permute(0, 2, 3, 1, 5, 4)
    return x.flatten(3).flatten(1, 2)
