# %% wrong: sentences_mixed (batch-mixed)
# uses a second letter for the batch of the memory, so einsum sums the scores over all sentences;
# breaks "Each state looks at its own sentence only"
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,nsd->bs", state, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return context, weights

# %% wrong: epsilon_in_the_sum (no name)
# divides plain exponentials by their sum plus 1e-9, which swallows the row when all scores are
# about -50; breaks "Scores may be very low (around -50) or very high"
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    e = torch.exp(scores.double()) * mask
    weights = (e / (e.sum(dim=1, keepdim=True) + 1e-9)).to(state.dtype)
    return (weights.unsqueeze(-1) * memory).sum(dim=1), weights

# %% wrong: axis_left_over (all-keep-an-axis)
# leaves the axis of length 1 that was made for the matrix product in both results; breaks
# "(context (B, D), weights (B, S))"
def luong_context(state, memory, mask):
    scores = state.unsqueeze(1) @ memory.transpose(1, 2)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    context = weights @ memory
    return context, weights

# %% wrong: scaled_by_habit (scaled)
# divides the scores by the root of D as in the Transformer; breaks "**without a scale**"
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state[:, :, None])[:, :, 0] / math.sqrt(state.shape[-1])
    weights = masked_softmax(scores, mask)
    context = torch.bmm(weights[:, None, :], memory)[:, 0]
    return context, weights

# %% right: sentence_by_sentence
# a loop that selects the allowed places of each sentence and never sees the others
def luong_context(state, memory, mask):
    contexts, all_weights = [], []
    for s, m, allowed in zip(state, memory, mask):
        chosen = m[allowed]
        w = torch.softmax(chosen @ s, dim=0)
        contexts.append(w @ chosen)
        row = torch.zeros_like(m[:, 0])
        row[allowed] = w
        all_weights.append(row)
    return torch.stack(contexts), torch.stack(all_weights)
