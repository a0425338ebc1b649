# %% wrong: axes_from_the_front (axes-counted-from-the-front)
# inserts the axes at 2 and 1, which fits a batch but neither one sentence nor two leading axes;
# breaks "... stands for any number of leading axes, none included"
def additive_scores(query, key, w_q, w_k, v):
    q = (query @ w_q).unsqueeze(2)
    k = (key @ w_k).unsqueeze(1)
    return torch.tanh(q + k) @ v

# %% wrong: tanh_apart (tanh-on-each)
# applies the tanh to query and key separately and adds then; breaks "v · tanh(q W_q + k W_k)"
def additive_scores(query, key, w_q, w_k, v):
    q = torch.tanh(query @ w_q)[..., :, None, :]
    k = torch.tanh(key @ w_k)[..., None, :, :]
    return ((q + k) * v).sum(dim=-1)

# %% wrong: scaled_by_habit (scaled)
# divides by the root of the hidden size as in dot-product attention; breaks "They return scores:
# no softmax, no scale"
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return hidden @ v / math.sqrt(v.shape[0])

# %% wrong: keys_by_queries (transposed)
# stretches the wrong ones of the two, so the result is (..., S, T); breaks "→ scores (..., T, S)"
def additive_scores(query, key, w_q, w_k, v):
    q = (query @ w_q)[..., None, :, :]
    k = (key @ w_k)[..., :, None, :]
    return torch.einsum("...a,a->...", torch.tanh(q + k), v)

# %% right: concatenated_pairs
# glues every query to every key and uses one stacked weight matrix, as the original network draws
# it
def additive_scores(query, key, w_q, w_k, v):
    *lead, T, Dq = query.shape
    S, Dk = key.shape[-2:]
    left = query.unsqueeze(-2).expand(*lead, T, S, Dq)
    right = key.unsqueeze(-3).expand(*lead, T, S, Dk)
    pairs = torch.cat((left, right), dim=-1)
    hidden = torch.tanh(pairs @ torch.cat((w_q, w_k), dim=0))
    return (hidden @ v[:, None]).squeeze(-1)
