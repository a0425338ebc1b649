# %% wrong: state_not_unsqueezed (no-region-axis)
# adds (B, R, A) and (B, A) without an axis for the regions, which raises, or for B = R mixes the
# pictures: breaks "One state per picture asks all of its regions"
def soft_attention(regions, state, w_r, w_s, v):
    e = torch.tanh(regions @ w_r + state @ w_s) @ v
    weights = torch.softmax(e, dim=-1)
    context = (weights.unsqueeze(-1) * regions).sum(dim=1)
    return context, weights

# %% wrong: tanh_of_each_part (tanh-of-each)
# takes the tanh of both parts before adding, so that the state no longer matters after the
# softmax: breaks "tanh(a_i W_r + s W_s)"
def soft_attention(regions, state, w_r, w_s, v):
    h = torch.tanh(regions @ w_r) + torch.tanh(state @ w_s).unsqueeze(1)
    weights = F.softmax(h @ v, dim=1)
    context = torch.bmm(weights.unsqueeze(1), regions).squeeze(1)
    return context, weights

# %% wrong: scaled (scaled)
# divides the scores by the root of A, as in dot-product attention: breaks "no bias, no scale"
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None, :])
    scores = hidden @ v / math.sqrt(v.shape[0])
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights

# %% wrong: weights_first (swapped-results)
# returns the pair in the wrong order: breaks "Return `(context, weights)`"
def soft_attention(regions, state, w_r, w_s, v):
    e = torch.einsum("bra,a->br", torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1)), v)
    alpha = torch.softmax(e, dim=1)
    z = (alpha.unsqueeze(2) * regions).sum(1)
    return alpha, z

# %% right: one_region_at_a_time
# loops over the regions for the scores and sums the context in a second loop
def soft_attention(regions, state, w_r, w_s, v):
    question = state.matmul(w_s)
    scores = []
    for a in regions.unbind(1):
        scores.append(torch.tanh(question + a.matmul(w_r)).mul(v).sum(-1))
    weights = torch.stack(scores, -1).log_softmax(-1).exp()
    context = 0
    for share, a in zip(weights.unbind(1), regions.unbind(1)):
        context = context + share[:, None] * a
    return context, weights
