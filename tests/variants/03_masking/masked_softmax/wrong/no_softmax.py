# misconception: scores-returned
def masked_softmax(scores, mask):
    return torch.where(mask, scores, float("-inf"))
