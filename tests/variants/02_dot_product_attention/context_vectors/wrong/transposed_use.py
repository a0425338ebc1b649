# misconception: weights-transposed
def context_vectors(x):
    weights = torch.softmax(x @ x.T, -1)
    return weights.T @ x, weights
