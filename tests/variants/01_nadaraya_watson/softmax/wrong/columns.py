# misconception: wrong-axis
def softmax(scores, dim=-1):
    scores = scores - scores.max(dim=0).values
    return scores.exp() / scores.exp().sum(dim=0)
