# misconception: channel-last-in-patch
from einops import rearrange

def unpatchify(patches, patch, height, width):
    return rearrange(patches, "b (h w) (p q c) -> b c (h p) (w q)", h=height // patch, w=width // patch, p=patch, q=patch)
