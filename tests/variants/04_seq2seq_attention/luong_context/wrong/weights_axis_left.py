# misconception: weights-keep-an-axis
def luong_context(state, memory, mask):
    scores = memory @ state.unsqueeze(2)
    weights = masked_softmax(scores[..., 0], mask).unsqueeze(2)
    return (weights * memory).sum(1), weights
