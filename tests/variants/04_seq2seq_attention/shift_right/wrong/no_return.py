# misconception: returns-nothing
def shift_right(targets, bos):
    out = targets.clone()
    out[:, 1:] = targets[:, :-1]
    out[:, 0] = bos
