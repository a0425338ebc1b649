# %% wrong: naive_exponentials (overflow)
# writes the softmax as exp over sum without subtracting the maximum, which is inf/inf for scores
# in the hundreds; breaks "Scores may be in the hundreds; nothing may overflow"
def context_vectors(x):
    scores = x @ x.T
    e = torch.exp(scores)
    weights = e / e.sum(dim=1, keepdim=True)
    return weights @ x, weights

# %% wrong: without_itself (ignores-itself)
# masks the diagonal, believing that a word's context is made of the other words; breaks "a mean
# of *all* words, itself included"
def context_vectors(x):
    scores = x @ x.T
    scores = scores.masked_fill(torch.eye(len(x), dtype=torch.bool), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ x, weights

# %% wrong: transposed_mix (weights-transposed)
# thinks that the weights are symmetric because the scores are, and mixes with the columns; breaks
# "output = weights x"
def context_vectors(x):
    weights = torch.softmax(x @ x.T, dim=-1)
    output = weights.T @ x
    return output, weights

# %% right: word_by_word
# a loop that treats each word alone with matrix-vector products
def context_vectors(x):
    output, weights = [], []
    for word in x:
        w = softmax(x.mv(word))
        weights.append(w)
        output.append(w @ x)
    return torch.stack(output), torch.stack(weights)
