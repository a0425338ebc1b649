# misconception: subtracts-mean
def softmax(scores, dim=-1):
    centred = scores - torch.mean(scores, dim=dim, keepdim=True)
    e = torch.exp(centred)
    return e / e.sum(dim=dim, keepdim=True)
