def patchify(images, patch):
    if any(side % patch for side in images.shape[-2:]):
        raise ValueError("patch")
    return F.pixel_unshuffle(images, patch).flatten(2).transpose(1, 2)
