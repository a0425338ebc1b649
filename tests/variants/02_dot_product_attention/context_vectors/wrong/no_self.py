# misconception: ignores-itself
def context_vectors(x):
    scores = x @ x.T
    scores = scores.fill_diagonal_(float("-inf"))
    weights = F.softmax(scores, dim=1)
    return weights @ x, weights
