# misconception: all-keep-an-axis
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state.unsqueeze(1), memory, w_s, w_h, v)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    return weights @ memory, weights
