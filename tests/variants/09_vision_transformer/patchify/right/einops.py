from einops import rearrange

def patchify(images, patch):
    height, width = images.shape[-2:]
    if height % patch or width % patch:
        raise ValueError("patch must divide height and width")
    return rearrange(images, "b c (h p1) (w p2) -> b (h w) (c p1 p2)", p1=patch, p2=patch)
