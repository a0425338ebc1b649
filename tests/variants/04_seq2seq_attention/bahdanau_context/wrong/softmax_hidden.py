# misconception: softmax-over-hidden
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = F.softmax(torch.tanh((state @ w_s).unsqueeze(1) + memory @ w_h), dim=-1) @ v
    weights = masked_softmax(scores, mask)
    return (weights[:, None] @ memory)[:, 0], weights
