# misconception: no-max-subtraction
def softmax(scores, dim=-1):
    e = torch.exp(scores)
    return e / torch.sum(e, dim=dim, keepdim=True)
