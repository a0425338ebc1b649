# misconception: all-keep-an-axis
def luong_context(state, memory, mask):
    scores = state.unsqueeze(1) @ memory.transpose(1, 2)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    return weights @ memory, weights
