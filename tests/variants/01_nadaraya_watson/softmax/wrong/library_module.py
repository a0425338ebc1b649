# misconception: not-allowed
def softmax(scores, dim=-1):
    return nn.Softmax(dim=dim)(scores)
