# misconception: global-sum
def softmax(scores, dim=-1):
    biggest = scores.max(dim=dim, keepdim=True).values
    e = torch.exp(scores - biggest)
    return e / torch.sum(e)
