# misconception: mask-ignored
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v
    weights = scores.softmax(dim=1)
    return (weights[:, None] @ memory)[:, 0], weights
