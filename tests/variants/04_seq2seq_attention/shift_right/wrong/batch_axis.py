# misconception: wrong-axis
def shift_right(targets, bos):
    out = torch.roll(targets, 1, 0)
    out[0] = bos
    return out
