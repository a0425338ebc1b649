# misconception: softmax-over-queries
def context_vectors(x):
    scores = x @ x.T
    weights = scores.softmax(dim=0)
    return weights @ x, weights
