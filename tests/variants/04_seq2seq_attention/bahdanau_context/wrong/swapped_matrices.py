# misconception: matrices-swapped
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state[:, None], memory, w_h, w_s, v)[:, 0]
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
