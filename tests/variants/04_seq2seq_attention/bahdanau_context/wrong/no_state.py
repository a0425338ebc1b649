# misconception: state-ignored
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (memory @ w_h).tanh() @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
