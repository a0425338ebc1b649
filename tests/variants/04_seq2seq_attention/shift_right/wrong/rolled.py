# misconception: rolled-around
def shift_right(targets, bos):
    return torch.roll(targets, shifts=1, dims=-1)
