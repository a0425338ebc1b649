# misconception: one-too-short
def shift_right(targets, bos):
    length = targets.size(1)
    return targets.narrow(1, 0, length - 1)
