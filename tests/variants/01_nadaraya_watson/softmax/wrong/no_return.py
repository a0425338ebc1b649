# misconception: returns-nothing
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True))
    e / e.sum(dim, keepdim=True)
