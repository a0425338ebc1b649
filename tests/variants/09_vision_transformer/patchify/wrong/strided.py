# misconception: strided-sampling
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (p1 h) (p2 w) -> b (h w) (c p1 p2)", p1=patch, p2=patch)
