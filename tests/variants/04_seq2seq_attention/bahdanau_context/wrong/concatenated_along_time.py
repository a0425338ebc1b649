# misconception: tanh-before-adding
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    both = torch.cat([(state @ w_s)[:, None], memory @ w_h], dim=1)
    scores = torch.tanh(both) @ v
    weights = masked_softmax(scores[:, 1:], mask)
    return (weights[:, None] @ memory)[:, 0], weights
