# misconception: grid-kept
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (h p) (w q) -> b h w (c p q)", p=patch, q=patch)
