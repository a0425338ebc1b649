# misconception: -
def masked_softmax(scores, mask):
    if not mask.any():
        return torch.zeros_like(scores)
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
