# misconception: fill-not-low-enough
def masked_softmax(scores, mask):
    filled = scores.clone()
    filled[~mask.expand_as(scores)] = -100
    return torch.softmax(filled, dim=-1)
