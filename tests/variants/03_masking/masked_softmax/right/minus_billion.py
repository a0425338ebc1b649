def masked_softmax(scores, mask):
    return F.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
