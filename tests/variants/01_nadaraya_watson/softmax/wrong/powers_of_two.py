# misconception: base-two
def softmax(scores, dim=-1):
    p = 2 ** (scores - scores.amax(dim, keepdim=True))
    return p / p.sum(dim, keepdim=True)
