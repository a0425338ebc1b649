# misconception: mask-added
def masked_softmax(scores, mask):
    return F.softmax(scores + mask.float(), dim=-1)
