def context_vectors(x):
    scores = x @ x.mT
    weights = (scores - torch.logsumexp(scores, dim=1, keepdim=True)).exp()
    return weights @ x, weights
