# misconception: winner-takes-all
def context_vectors(x):
    scores = x @ x.T
    weights = torch.zeros_like(scores)
    weights[torch.arange(len(x)), scores.argmax(dim=1)] = 1
    return weights @ x, weights
