# misconception: mask-ignored
def masked_softmax(scores, mask):
    scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1)
