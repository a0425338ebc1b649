# misconception: plain-mean
def context_vectors(x):
    n = x.shape[0]
    weights = torch.ones(n, n) / n
    return weights @ x, weights
