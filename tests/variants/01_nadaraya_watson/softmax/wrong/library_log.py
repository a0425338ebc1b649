# misconception: not-allowed
def softmax(scores, dim=-1):
    return torch.log_softmax(scores, dim).exp()
