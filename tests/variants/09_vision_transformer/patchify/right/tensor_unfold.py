def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError(f"{h}x{w} is not a multiple of {patch}")
    pieces = images.unfold(2, patch, patch).unfold(3, patch, patch)  # (b, c, rows, cols, p, p)
    return pieces.permute(0, 2, 3, 1, 4, 5).contiguous().view(b, (h // patch) * (w // patch), c * patch * patch)
