# misconception: fill-not-low-enough
def masked_softmax(scores, mask):
    return torch.softmax(torch.where(mask, scores, torch.tensor(-10.0)), dim=-1)
