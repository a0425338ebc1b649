def luong_context(state, memory, mask):
    contexts, weights = [], []
    for s, m, keep in zip(state, memory, mask):
        w = torch.zeros(len(m))
        if keep.any():
            w[keep] = torch.softmax(m[keep] @ s, dim=0)
        contexts.append(w @ m)
        weights.append(w)
    return torch.stack(contexts), torch.stack(weights)
