def luong_context(state, memory, mask):
    scores = (state[:, None] * memory).sum(-1)
    top = scores.masked_fill(~mask, -1e30).amax(1, keepdim=True)
    e = torch.exp((scores - top).clamp(max=0)) * mask
    weights = e / e.sum(1, keepdim=True).clamp(min=1e-20)
    return (weights[..., None] * memory).sum(1), weights
