# misconception: overflow
def context_vectors(x):
    e = torch.exp(x @ x.T)
    weights = e / e.sum(-1, keepdim=True)
    return weights @ x, weights
