def softmax(scores, dim=-1):
    shifted = (scores - scores.amax(dim, keepdim=True)) * math.log2(math.e)
    p = torch.exp2(shifted)
    return p / p.sum(dim, keepdim=True)
