def bahdanau_context(state, memory, w_s, w_h, v, mask):
    steps = memory.shape[1]
    both = torch.cat([state[:, None].expand(-1, steps, -1), memory], dim=-1)  # (B, S, Ds + Dm)
    scores = torch.tanh(both @ torch.cat([w_s, w_h], dim=0)) @ v
    weights = masked_softmax(scores, mask)
    return (weights[..., None] * memory).sum(1), weights
