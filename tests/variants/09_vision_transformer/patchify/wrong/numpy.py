# misconception: no-gradient
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    out = images.detach().numpy().reshape(b, c, h // patch, patch, w // patch, patch)
    return torch.from_numpy(out.transpose(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch))
