def shift_right(targets, bos):
    return F.pad(targets, (1, -1), value=bos)
