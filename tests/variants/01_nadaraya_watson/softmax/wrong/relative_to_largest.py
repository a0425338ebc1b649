# misconception: divide-by-max
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.amax(dim=dim, keepdim=True)
