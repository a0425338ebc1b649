# misconception: column-by-column
from einops import rearrange

def image_regions(features):
    return rearrange(features, "b c h w -> b (w h) c")
