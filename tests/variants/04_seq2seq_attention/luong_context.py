# %% right: bmm
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.bmm(memory, state.unsqueeze(2)).squeeze(2), mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# %% right: double_nan_to_num
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state.double(), memory.double())
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)
    context = torch.einsum("bs,bsd->bd", weights, memory.double())
    return context.float(), weights.float()


# %% right: einsum
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% right: exp_times_mask
def luong_context(state, memory, mask):
    scores = (state[:, None] * memory).sum(-1)
    top = scores.masked_fill(~mask, -1e30).amax(1, keepdim=True)
    e = torch.exp((scores - top).clamp(max=0)) * mask
    weights = e / e.sum(1, keepdim=True).clamp(min=1e-20)
    return (weights[..., None] * memory).sum(1), weights


# %% right: finite_fill_then_zero
def luong_context(state, memory, mask):
    scores = (memory @ state[..., None])[..., 0].masked_fill(~mask, -1e9)
    weights = scores.softmax(-1) * mask
    return (weights[:, None] @ memory)[:, 0], weights


# %% right: loop
def luong_context(state, memory, mask):
    contexts, weights = [], []
    for s, m, keep in zip(state, memory, mask):
        w = torch.zeros(len(m))
        if keep.any():
            w[keep] = torch.softmax(m[keep] @ s, dim=0)
        contexts.append(w @ m)
        weights.append(w)
    return torch.stack(contexts), torch.stack(weights)


# %% right: sdpa
def luong_context(state, memory, mask):
    weights = masked_softmax((memory * state[:, None]).sum(-1), mask)
    query = state[:, None] * state.shape[-1] ** 0.5  # undo the scale of torch's own
    context = F.scaled_dot_product_attention(query, memory, memory, attn_mask=mask[:, None])[:, 0]
    return torch.where(mask.any(1, keepdim=True), context, 0.0), weights


# %% wrong: scaled (scaled)
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state.unsqueeze(2)).squeeze(2) / state.shape[1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


# %% wrong: mean_of_products (divided-by-size)
def luong_context(state, memory, mask):
    scores = (state[:, None, :] * memory).mean(dim=-1)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * memory).sum(dim=1), weights


# %% wrong: cosine (cosine)
def luong_context(state, memory, mask):
    scores = F.cosine_similarity(state[:, None, :], memory, dim=-1)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * memory).sum(1), weights


# %% wrong: distance (distance)
def luong_context(state, memory, mask):
    scores = -torch.cdist(state[:, None, :], memory)[:, 0, :] ** 2
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: state_weighted (state-is-averaged)
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state, memory)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * state[:, None, :]).sum(1), weights


# %% wrong: state_added (state-added)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return context + state, weights


# %% wrong: state_joined (state-joined)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return torch.cat([context, state], dim=1), weights


# %% wrong: batch_mixed (batch-mixed)
def luong_context(state, memory, mask):
    scores = state @ memory.transpose(1, 2)
    weights = masked_softmax(scores, mask)
    return weights @ memory, weights


# %% wrong: last_place (last-state-only)
def luong_context(state, memory, mask):
    weights = masked_softmax((memory * state.unsqueeze(1)).sum(2), mask)
    return memory[:, memory.size(1) - 1, :], weights


# %% wrong: summed_over_time (summed-over-time)
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bd", state, memory)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: no_mask (mask-ignored)
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    weights = F.softmax(scores, dim=-1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


# %% wrong: polarity (inverted-mask)
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1).nan_to_num()
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


# %% wrong: multiplied_mask (mask-of-zeros)
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1) * mask
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


# %% wrong: tiny_positive_fill (mask-of-zeros)
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1).masked_fill(~mask, 1e-9)
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


# %% wrong: minus_ten (mask-not-low-enough)
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    scores = torch.where(mask, scores, torch.tensor(-10.0))
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights


# %% wrong: mask_after_softmax (not-renormalised)
def luong_context(state, memory, mask):
    weights = torch.softmax((memory * state[:, None]).sum(-1), dim=-1)
    weights = weights.masked_fill(mask == False, 0)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: nan (nan-row)
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state[:, :, None])[:, :, 0]
    scores = torch.where(mask, scores, -math.inf)
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights[:, None], memory)[:, 0], weights


# %% wrong: finite_fill (uniform-where-nothing-is-allowed)
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state[:, :, None])[:, :, 0]
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights[:, None], memory)[:, 0], weights


# %% wrong: softmax_dim0 (softmax-over-the-batch)
def luong_context(state, memory, mask):
    scores = (memory * state[:, None]).sum(-1)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=0).nan_to_num()
    return (weights[..., None] * memory).sum(1), weights


# %% wrong: raw_scores (no-softmax)
def luong_context(state, memory, mask):
    weights = (memory * state[:, None]).sum(-1).masked_fill(~mask, 0.0)
    return (weights[..., None] * memory).sum(1), weights


# %% wrong: argmax (hard-choice)
def luong_context(state, memory, mask):
    scores = (memory * state[:, None]).sum(-1).masked_fill(~mask, -1e30)
    best = scores.argmax(1)
    weights = torch.zeros_like(scores)
    weights[torch.arange(len(state)), best] = 1.0
    return memory[torch.arange(len(state)), best], weights


# %% wrong: average (every-place-the-same)
def luong_context(state, memory, mask):
    weights = mask / mask.sum(1, keepdim=True).clamp(min=1)
    return (weights[..., None] * memory).sum(1), weights


# %% wrong: axis_left (context-keeps-an-axis)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return weights.unsqueeze(1) @ memory, weights


# %% wrong: axes_left (all-keep-an-axis)
def luong_context(state, memory, mask):
    scores = state.unsqueeze(1) @ memory.transpose(1, 2)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    return weights @ memory, weights


# %% wrong: weights_axis_left (weights-keep-an-axis)
def luong_context(state, memory, mask):
    scores = memory @ state.unsqueeze(2)
    weights = masked_softmax(scores[..., 0], mask).unsqueeze(2)
    return (weights * memory).sum(1), weights


# %% wrong: not_summed (not-added-up)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return torch.einsum("bs,bsd->bsd", weights, memory), weights


# %% wrong: mean_again (averaged-again)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return (weights.unsqueeze(-1) * memory).mean(dim=1), weights


# %% wrong: context_only (weights-missing)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return (weights.unsqueeze(-1) * memory).sum(dim=1)


# %% wrong: scores_back (scores-returned)
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state, memory)
    return torch.einsum("bs,bsd->bd", masked_softmax(scores, mask), memory), scores


# %% wrong: detached (no-gradient)
def luong_context(state, memory, mask):
    with torch.no_grad():
        weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
        return (weights.unsqueeze(-1) * memory).sum(dim=1), weights


# %% wrong: swapped (swapped-results)
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return weights, (weights.unsqueeze(-1) * memory).sum(dim=1)


# %% wrong: added_infinity (nan-gradient)
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state, memory)
    weights = F.softmax(scores + torch.where(mask, 0.0, -torch.inf), dim=-1)
    weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: all_states_first_taken (batch-mixed)
def luong_context(state, memory, mask):
    scores = (memory @ state.T)[:, :, 0]
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights


# %% wrong: all_states_squeezed (batch-mixed)
def luong_context(state, memory, mask):
    weights = masked_softmax((memory @ state.T).squeeze(-1), mask)
    return (weights[:, None] @ memory)[:, 0], weights
