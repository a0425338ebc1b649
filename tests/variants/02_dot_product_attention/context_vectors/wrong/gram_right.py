# misconception: features-not-words
def context_vectors(x):
    w = torch.softmax(x.T.matmul(x), dim=-1)
    return torch.matmul(x, w), w
