# misconception: softmax-over-the-batch
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = (torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(0).nan_to_num()
    return (weights[:, None] @ memory)[:, 0], weights
