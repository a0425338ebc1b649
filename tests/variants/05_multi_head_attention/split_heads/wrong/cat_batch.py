# misconception: heads-in-the-batch
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return torch.cat(torch.chunk(x, heads, dim=-1), dim=0)
