# misconception: masks-queries
def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))
    return filled.softmax(-1).nan_to_num(0.0)
