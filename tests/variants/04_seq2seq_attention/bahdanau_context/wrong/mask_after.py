# misconception: not-renormalised
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = torch.where(mask, scores.softmax(-1), 0.0)
    return (weights[:, None] @ memory)[:, 0], weights
