# misconception: overlapping
def patchify(images, patch):
    if images.shape[-1] % patch or images.shape[-2] % patch:
        raise ValueError("patch")
    return nn.Unfold(patch)(images).transpose(1, 2)
