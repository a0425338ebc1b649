# %% right: bias_on_the_score
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    hidden = torch.tanh((state @ w_s)[:, None] + memory @ w_h)
    # The same for every place: softmax does not see it
    scores = torch.einsum("bsa,a->bs", hidden, v) + 3.0
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% right: concatenated
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    steps = memory.shape[1]
    both = torch.cat([state[:, None].expand(-1, steps, -1), memory], dim=-1)  # (B, S, Ds + Dm)
    scores = torch.tanh(both @ torch.cat([w_s, w_h], dim=0)) @ v
    weights = masked_softmax(scores, mask)
    return (weights[..., None] * memory).sum(1), weights


# %% right: linear_layers
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    hidden = F.linear(state, w_s.T).unsqueeze(1) + F.linear(memory, w_h.T)
    scores = F.linear(hidden.tanh(), v.unsqueeze(0)).squeeze(-1)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(1).nan_to_num()
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# %% right: loops
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    B, S, D = memory.shape
    rows, contexts = [], []
    for b in range(B):
        scores = torch.stack(
            [torch.tanh(state[b] @ w_s + memory[b, s] @ w_h) @ v for s in range(S)]
        )
        weights = masked_softmax(scores, mask[b])
        contexts.append(sum(weights[s] * memory[b, s] for s in range(S)))
        rows.append(weights)
    return torch.stack(contexts), torch.stack(rows)


# %% right: scores_of_unit_02
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state.unsqueeze(1), memory, w_s, w_h, v).squeeze(1)
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# %% right: tanh_from_sigmoid
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    z = (state @ w_s)[:, None] + memory @ w_h
    scores = (2 * torch.sigmoid(2 * z) - 1) @ v
    weights = (scores.masked_fill(~mask, -1e9).softmax(-1)) * mask
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: no_tanh (no-tanh)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = ((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: tanh_outside (tanh-on-the-score)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh(((state @ w_s).unsqueeze(1) + memory @ w_h) @ v)
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: tanh_twice (tanh-twice)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).tanh()
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: concatenated_along_time (tanh-before-adding)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    both = torch.cat([(state @ w_s)[:, None], memory @ w_h], dim=1)
    scores = torch.tanh(both) @ v
    weights = masked_softmax(scores[:, 1:], mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: tanh_apart (tanh-before-adding)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    query = torch.tanh(state @ w_s)
    keys = torch.tanh(memory @ w_h)
    scores = torch.einsum("bsa,a->bs", query.unsqueeze(1) + keys, v)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: relu (relu)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = F.relu((state @ w_s)[:, None] + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: relu_energy (relu-on-the-score)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = F.relu(torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v)
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: sigmoid (sigmoid)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.sigmoid((state @ w_s)[:, None] + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: product (multiplied)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh(torch.einsum("ba,bsa->bsa", state @ w_s, memory @ w_h)) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: no_state (state-ignored)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (memory @ w_h).tanh() @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: no_v (v-ignored)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h).sum(dim=2)
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: swapped_matrices (matrices-swapped)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state[:, None], memory, w_h, w_s, v)[:, 0]
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: one_matrix (one-matrix)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s)[:, None] + memory @ w_s) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: keys_averaged (context-of-keys)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    keys = memory @ w_h
    scores = torch.tanh(state.matmul(w_s)[:, None] + keys).matmul(v)
    weights = masked_softmax(scores, mask)
    context = (weights[:, :, None] * keys).sum(1)
    return context, weights


# %% wrong: softmax_hidden (softmax-over-hidden)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = F.softmax(torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h), dim=-1) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: scaled (scaled)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v / math.sqrt(v.shape[0])
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: no_mask (mask-ignored)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = scores.softmax(dim=1)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: polarity (inverted-mask)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask.logical_not())
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: zero_fill (mask-of-zeros)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).where(
        mask, torch.tensor(0.0)
    )
    weights = scores.softmax(1)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: minus_ten (mask-not-low-enough)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).where(
        mask, torch.tensor(-10.0)
    )
    weights = scores.softmax(1)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: mask_after (not-renormalised)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = torch.where(mask, scores.softmax(-1), 0.0)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: nan (nan-row)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).masked_fill(
        mask.logical_not(), float("-inf")
    )
    weights = F.softmax(scores, 1)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: big_fill (uniform-where-nothing-is-allowed)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v + (~mask) * -1e9
    weights = F.softmax(scores, 1)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: batch_softmax (softmax-over-the-batch)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).masked_fill(
        ~mask, -torch.inf
    )
    weights = scores.softmax(0).nan_to_num()
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: raw (no-softmax)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = scores * mask.float()
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: axis_left (context-keeps-an-axis)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return weights.unsqueeze(1) @ memory, weights


# %% wrong: axes_left (all-keep-an-axis)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state.unsqueeze(1), memory, w_s, w_h, v)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    return weights @ memory, weights


# %% wrong: not_summed (not-added-up)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return weights.unsqueeze(2) * memory, weights


# %% wrong: context_only (weights-missing)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights.unsqueeze(2) * memory).sum(1)


# %% wrong: swapped (swapped-results)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return weights, (weights.unsqueeze(2) * memory).sum(1)


# %% wrong: no_broadcast (no name)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh(state @ w_s + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights


# %% wrong: added_infinity (nan-gradient)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = (scores + torch.where(mask, 0.0, -torch.inf)).softmax(-1).nan_to_num(0.0)
    return (weights.unsqueeze(-1) * memory).sum(1), weights


# %% wrong: no_query_axis (no-query-axis)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    weights = masked_softmax(additive_scores(state, memory, w_s, w_h, v), mask)
    return weights @ memory, weights


# %% wrong: no_query_axis_einsum (no-query-axis)
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state, memory, w_s, w_h, v)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
