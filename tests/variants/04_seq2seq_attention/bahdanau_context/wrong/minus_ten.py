# misconception: mask-not-low-enough
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).where(mask, torch.tensor(-10.0))
    weights = scores.softmax(1)
    return (weights[:, None] @ memory)[:, 0], weights
