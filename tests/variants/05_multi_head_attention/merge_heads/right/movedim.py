def merge_heads(x):
    return x.movedim(1, 2).flatten(start_dim=2)
