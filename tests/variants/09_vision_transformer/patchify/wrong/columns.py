# misconception: column-by-column
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    out = []
    for j in range(W // patch):
        for i in range(H // patch):
            out.append(images[:, :, i * patch:(i + 1) * patch, j * patch:(j + 1) * patch].flatten(1))
    return torch.stack(out, 1)
