# misconception: always-last-axis
def softmax(scores, dim=-1):
    e = (scores - scores.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)
