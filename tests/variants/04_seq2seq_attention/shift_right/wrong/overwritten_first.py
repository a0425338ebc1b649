# misconception: not-shifted
def shift_right(targets, bos):
    out = targets.clone()
    out[:, 0] = bos
    return out
