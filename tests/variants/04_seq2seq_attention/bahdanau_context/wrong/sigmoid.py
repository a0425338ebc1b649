# misconception: sigmoid
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.sigmoid((state @ w_s)[:, None] + memory @ w_h) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
