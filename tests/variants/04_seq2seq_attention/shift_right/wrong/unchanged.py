# misconception: unchanged
def shift_right(targets, bos):
    return targets + 0
