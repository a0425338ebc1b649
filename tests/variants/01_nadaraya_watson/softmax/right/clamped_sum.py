def softmax(scores, dim=-1):
    scores = scores - scores.amax(dim, keepdim=True)
    e = scores.exp()
    return e / e.sum(dim, keepdim=True).clamp(min=1e-12)
