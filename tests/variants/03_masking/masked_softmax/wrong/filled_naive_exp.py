# misconception: overflow
def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -torch.inf)
    e = torch.exp(scores)
    return torch.nan_to_num(e / e.sum(-1, keepdim=True))
