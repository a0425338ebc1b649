# misconception: channel-last-in-patch
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch)
