def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("no")
    rows = []
    for top in range(0, H, patch):
        for left in range(0, W, patch):
            rows.append(images[:, :, top:top + patch, left:left + patch].reshape(B, -1))
    return torch.stack(rows, dim=1)
