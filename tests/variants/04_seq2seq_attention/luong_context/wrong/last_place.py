# misconception: last-state-only
def luong_context(state, memory, mask):
    weights = masked_softmax((memory * state.unsqueeze(1)).sum(2), mask)
    return memory[:, memory.size(1) - 1, :], weights
