def soft_attention(regions, state, w_r, w_s, v):
    scores = torch.tanh(regions.double() @ w_r.double() + (state.double() @ w_s.double())[:, None]) @ v.double() + 3.0
    weights = torch.softmax(scores, -1)
    context = (weights[..., None] * regions).sum(1)
    return context.float(), weights.float()
