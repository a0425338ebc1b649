# %% wrong: context_of_projections (context-of-keys)
# sums the projected memory; breaks "The context is the weighted sum of the memory *itself*"
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    projected = memory @ w_h
    hidden = torch.tanh((state @ w_s)[:, None] + projected)
    weights = masked_softmax(hidden @ v, mask)
    context = (weights[:, :, None] * projected).sum(dim=1)
    return context, weights

# %% wrong: no_axis_for_the_places (no name)
# adds (B, A) to (B, S, A) without an axis for S, which raises an error or, with S = B, pairs
# place i with state i; breaks "e_i = v · tanh(s W_s + h_i W_h)", each state with its own sentence
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh(state @ w_s + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsm->bm", weights, memory)
    return context, weights

# %% wrong: squeeze_everything (no name)
# removes all axes of length 1 with a bare squeeze(), so a batch of one or a source of one place
# loses an axis; breaks "(context (B, Dm), weights (B, S))"
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state.unsqueeze(1), memory, w_s, w_h, v)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    context = weights @ memory
    return context.squeeze(), weights.squeeze()

# %% wrong: nan_for_nothing (nan-row)
# fills with -inf and uses torch's softmax, so a row without any True is NaN; breaks "rows with
# nothing to look at: as in exercise 5" (weights 0 and context 0, not NaN)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    e = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h).matmul(v)
    weights = torch.softmax(e.masked_fill(~mask, -math.inf), dim=-1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights

# %% right: memory_asks
# calls additive_scores with the roles exchanged, which is symmetric, and drops the last axis
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(memory, state[:, None, :], w_h, w_s, v)[..., 0]
    alpha = masked_softmax(scores, mask)
    return torch.einsum("bsd,bs->bd", memory, alpha), alpha
