# misconception: relu-on-the-score
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = F.relu(torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h) @ v)
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
