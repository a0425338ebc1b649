# misconception: no-exponential
def context_vectors(x):
    scores = x @ x.T
    weights = scores / scores.sum(dim=1, keepdim=True)
    return weights @ x, weights
