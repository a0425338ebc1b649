# misconception: global-max
def softmax(scores, dim=-1):
    e = torch.exp(scores - torch.max(scores))
    return e / e.sum(dim=dim, keepdim=True)
