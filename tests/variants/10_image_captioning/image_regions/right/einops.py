from einops import rearrange

def image_regions(features):
    return rearrange(features, "b c h w -> b (h w) c")
