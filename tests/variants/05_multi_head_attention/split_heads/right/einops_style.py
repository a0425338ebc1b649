def split_heads(x, heads):
    if x.shape[2] % heads != 0:
        raise ValueError
    return einops.rearrange(x, "b t (h d) -> b h t d", h=heads)
