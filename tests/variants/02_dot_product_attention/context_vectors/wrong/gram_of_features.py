# misconception: features-not-words
def context_vectors(x):
    weights = torch.softmax(x.T @ x, dim=-1)
    return weights @ x, weights
