# misconception: log-softmax
def softmax(scores, dim=-1):
    return scores - torch.logsumexp(scores, dim, keepdim=True)
