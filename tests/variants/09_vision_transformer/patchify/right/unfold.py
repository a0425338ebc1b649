def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch size")
    return F.unfold(images, kernel_size=patch, stride=patch).transpose(1, 2)
