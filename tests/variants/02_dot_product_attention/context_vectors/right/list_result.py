def context_vectors(x):
    weights = nn.Softmax(dim=-1)(x.matmul(x.t()))
    return [weights.matmul(x), weights]
