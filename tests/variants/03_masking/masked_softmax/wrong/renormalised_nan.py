# misconception: renormalised-after
def masked_softmax(scores, mask):
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)
