# misconception: channels-last
from einops import rearrange

def unpatchify(patches, patch, height, width):
    return rearrange(patches, "b (h w) (c p q) -> b (h p) (w q) c", h=height // patch, w=width // patch, p=patch, q=patch)
