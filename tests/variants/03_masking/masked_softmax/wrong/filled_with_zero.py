# misconception: zero-score
def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask == False, 0), dim=-1)
