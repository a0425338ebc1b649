def soft_attention(regions, state, w_r, w_s, v):
    contexts, rows = [], []
    for region, s in zip(regions, state):
        scores = torch.stack([torch.tanh(r @ w_r + s @ w_s) @ v for r in region])
        w = scores.softmax(0)
        rows.append(w)
        contexts.append(w @ region)
    return torch.stack(contexts), torch.stack(rows)
