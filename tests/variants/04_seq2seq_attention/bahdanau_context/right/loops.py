def bahdanau_context(state, memory, w_s, w_h, v, mask):
    B, S, D = memory.shape
    rows, contexts = [], []
    for b in range(B):
        scores = torch.stack([torch.tanh(state[b] @ w_s + memory[b, s] @ w_h) @ v for s in range(S)])
        weights = masked_softmax(scores, mask[b])
        contexts.append(sum(weights[s] * memory[b, s] for s in range(S)))
        rows.append(weights)
    return torch.stack(contexts), torch.stack(rows)
