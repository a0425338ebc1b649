# misconception: swapped-results
def context_vectors(x):
    weights = F.softmax(x @ x.T, dim=-1)
    return weights, weights @ x
