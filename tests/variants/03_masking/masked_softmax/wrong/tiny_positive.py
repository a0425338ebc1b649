# misconception: sign-lost
def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, 1e-9), dim=-1)
