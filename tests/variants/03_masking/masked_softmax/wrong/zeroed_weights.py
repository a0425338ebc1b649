# misconception: not-renormalised
def masked_softmax(scores, mask):
    weights = F.softmax(scores, dim=-1)
    return weights.masked_fill(~mask, 0.0)
