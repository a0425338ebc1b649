# misconception: max-is-a-pair
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.max(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)
