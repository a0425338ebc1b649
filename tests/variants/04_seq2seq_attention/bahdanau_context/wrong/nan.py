# misconception: nan-row
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).masked_fill(mask.logical_not(), float("-inf"))
    weights = F.softmax(scores, 1)
    return (weights[:, None] @ memory)[:, 0], weights
