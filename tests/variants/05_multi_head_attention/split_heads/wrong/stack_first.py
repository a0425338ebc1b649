# misconception: heads-first
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    pieces = torch.split(x, d // heads, dim=2)
    return torch.stack(pieces)
