# misconception: changes-the-targets
def shift_right(targets, bos):
    for t in range(targets.shape[1] - 1, 0, -1):
        targets[:, t] = targets[:, t - 1]
    targets[:, 0] = bos
    return targets
