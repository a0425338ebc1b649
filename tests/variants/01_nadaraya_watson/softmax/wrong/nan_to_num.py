# misconception: nan-swept-away
def softmax(scores, dim=-1):
    e = torch.exp(scores)
    return torch.nan_to_num(e / e.sum(dim, keepdim=True))
