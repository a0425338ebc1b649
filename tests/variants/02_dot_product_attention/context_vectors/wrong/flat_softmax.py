# misconception: one-softmax-for-all
def context_vectors(x):
    scores = x @ x.T
    e = (scores - scores.max()).exp()
    weights = e / e.sum()
    return weights @ x, weights
