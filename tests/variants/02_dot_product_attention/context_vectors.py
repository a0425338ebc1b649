# %% right: column_layout
def context_vectors(x):
    # One column per word that looks: the scores are symmetric
    columns = torch.softmax(x @ x.T, dim=0)
    return (x.T @ columns).T, columns.T


# %% right: einsum
def context_vectors(x):
    w = torch.einsum("id,jd->ij", x, x).softmax(-1)
    return torch.einsum("ij,jd->id", w, x), w


# %% right: float64
def context_vectors(x):
    y = x.double()
    w = (y @ y.T).softmax(dim=1)
    return (w @ y).float(), w.float()


# %% right: list_result
def context_vectors(x):
    weights = nn.Softmax(dim=-1)(x.matmul(x.t()))
    return [weights.matmul(x), weights]


# %% right: logsumexp
def context_vectors(x):
    scores = x @ x.mT
    weights = (scores - torch.logsumexp(scores, dim=1, keepdim=True)).exp()
    return weights @ x, weights


# %% right: loops
def context_vectors(x):
    rows, outs = [], []
    for i in range(len(x)):
        scores = torch.stack([(x[i] * x[j]).sum() for j in range(len(x))])
        w = torch.softmax(scores, dim=0)
        rows.append(w)
        outs.append(sum(w[j] * x[j] for j in range(len(x))))
    return torch.stack(outs), torch.stack(rows)


# %% right: own_softmax
def context_vectors(x):
    weights = softmax(x @ x.T)
    return weights @ x, weights


# %% wrong: scaled (scaled-here)
def context_vectors(x):
    w = torch.softmax(x @ x.T / x.shape[1] ** 0.5, dim=1)
    return w @ x, w


# %% wrong: scaled_by_torch (scaled-here)
def context_vectors(x):
    T, D = x.shape
    scores = torch.mm(x, x.t()).div(math.sqrt(D))
    weights = F.softmax(scores, dim=-1)
    return torch.mm(weights, x), weights


# %% wrong: dim_zero (softmax-over-queries)
def context_vectors(x):
    scores = x @ x.T
    weights = scores.softmax(dim=0)
    return weights @ x, weights


# %% wrong: transposed_use (weights-transposed)
def context_vectors(x):
    weights = torch.softmax(x @ x.T, -1)
    return weights.T @ x, weights


# %% wrong: raw_scores (no-softmax)
def context_vectors(x):
    scores = torch.einsum("id,jd->ij", x, x)
    return scores @ x, scores


# %% wrong: share_of_sum (no-exponential)
def context_vectors(x):
    scores = x @ x.T
    weights = scores / scores.sum(dim=1, keepdim=True)
    return weights @ x, weights


# %% wrong: gram_of_features (features-not-words)
def context_vectors(x):
    weights = torch.softmax(x.T @ x, dim=-1)
    return weights @ x, weights


# %% wrong: gram_right (features-not-words)
def context_vectors(x):
    w = torch.softmax(x.T.matmul(x), dim=-1)
    return torch.matmul(x, w), w


# %% wrong: no_self (ignores-itself)
def context_vectors(x):
    scores = x @ x.T
    scores = scores.fill_diagonal_(float("-inf"))
    weights = F.softmax(scores, dim=1)
    return weights @ x, weights


# %% wrong: cosines (cosine)
def context_vectors(x):
    unit = x / x.norm(dim=1, keepdim=True)
    weights = torch.softmax(unit @ unit.T, dim=1)
    return weights @ x, weights


# %% wrong: distances (distance-scores)
def context_vectors(x):
    weights = torch.softmax(-torch.cdist(x, x) ** 2, dim=1)
    return weights @ x, weights


# %% wrong: mean (plain-mean)
def context_vectors(x):
    n = x.shape[0]
    weights = torch.ones(n, n) / n
    return weights @ x, weights


# %% wrong: argmax (winner-takes-all)
def context_vectors(x):
    scores = x @ x.T
    weights = torch.zeros_like(scores)
    weights[torch.arange(len(x)), scores.argmax(dim=1)] = 1
    return weights @ x, weights


# %% wrong: flat_softmax (one-softmax-for-all)
def context_vectors(x):
    scores = x @ x.T
    e = (scores - scores.max()).exp()
    weights = e / e.sum()
    return weights @ x, weights


# %% wrong: naive_exp (overflow)
def context_vectors(x):
    e = torch.exp(x @ x.T)
    weights = e / e.sum(-1, keepdim=True)
    return weights @ x, weights


# %% wrong: output_only (weights-missing)
def context_vectors(x):
    return torch.softmax(x @ x.T, dim=-1) @ x


# %% wrong: weights_only (only-weights)
def context_vectors(x):
    return F.softmax(x @ x.T, dim=-1)


# %% wrong: wrong_order (swapped-results)
def context_vectors(x):
    weights = F.softmax(x @ x.T, dim=-1)
    return weights, weights @ x
