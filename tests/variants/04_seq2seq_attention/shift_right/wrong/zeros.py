# misconception: zeros-in-front
def shift_right(targets, bos):
    out = torch.zeros_like(targets)
    out[:, 1:] = targets[:, :-1]
    return out
