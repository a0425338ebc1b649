def bahdanau_context(state, memory, w_s, w_h, v, mask):
    z = (state @ w_s)[:, None] + memory @ w_h
    scores = (2 * torch.sigmoid(2 * z) - 1) @ v
    weights = (scores.masked_fill(~mask, -1e9).softmax(-1)) * mask
    return (weights[:, None] @ memory)[:, 0], weights
