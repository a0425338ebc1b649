# misconception: changes-its-input
def softmax(scores, dim=-1):
    scores.sub_(scores.max(dim, keepdim=True).values)
    e = torch.exp(scores)
    return e / e.sum(dim, keepdim=True)
