# misconception: uniform-where-nothing-is-allowed
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v + (~mask) * -1e9
    weights = F.softmax(scores, 1)
    return (weights[:, None] @ memory)[:, 0], weights
