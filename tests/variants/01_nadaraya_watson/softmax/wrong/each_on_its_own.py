# misconception: sigmoid
def softmax(scores, dim=-1):
    return 1 / (1 + torch.exp(-scores))
