# misconception: fixed-bos
def shift_right(targets, bos):
    out = torch.ones_like(targets)
    out[:, 1:] = targets[:, :-1]
    return out
