# misconception: tanh-twice
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).tanh()
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
