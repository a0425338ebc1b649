# misconception: changes-its-input
def masked_softmax(scores, mask):
    scores[~mask.expand_as(scores)] = -1e9
    return F.softmax(scores, dim=-1) * mask
