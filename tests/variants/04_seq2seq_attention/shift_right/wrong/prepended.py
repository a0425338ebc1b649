# misconception: one-too-long
def shift_right(targets, bos):
    return F.pad(targets, (1, 0), value=bos)
