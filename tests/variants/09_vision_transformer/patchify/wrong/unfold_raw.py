# misconception: unfold-not-transposed
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch must divide")
    unfold = nn.Unfold(kernel_size=patch, stride=patch)
    return unfold(images)
