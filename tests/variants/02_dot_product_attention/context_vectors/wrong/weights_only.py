# misconception: only-weights
def context_vectors(x):
    return F.softmax(x @ x.T, dim=-1)
