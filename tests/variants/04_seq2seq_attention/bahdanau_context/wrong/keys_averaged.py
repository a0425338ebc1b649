# misconception: context-of-keys
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    keys = memory @ w_h
    scores = torch.tanh(state.matmul(w_s)[:, None] + keys).matmul(v)
    weights = masked_softmax(scores, mask)
    context = (weights[:, :, None] * keys).sum(1)
    return context, weights
