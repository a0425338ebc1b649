# misconception: weights-missing
def context_vectors(x):
    return torch.softmax(x @ x.T, dim=-1) @ x
