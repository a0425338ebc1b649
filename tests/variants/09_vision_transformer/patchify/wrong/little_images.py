# misconception: not-flattened
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    tiles = [images[:, :, i:i + patch, j:j + patch] for i in range(0, h, patch) for j in range(0, w, patch)]
    return torch.stack(tiles, dim=1)
