def split_heads(x, heads):
    if x.size(-1) % heads:
        raise ValueError(f"{x.size(-1)} features, {heads} heads")
    return x.unflatten(-1, (heads, -1)).swapaxes(1, 2)
