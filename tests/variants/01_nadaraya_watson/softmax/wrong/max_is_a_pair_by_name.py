# misconception: max-is-a-pair
def softmax(scores, dim=-1):
    top = torch.max(scores, dim=dim, keepdim=True)
    e = torch.exp(scores - top)
    return e / e.sum(dim, keepdim=True)
