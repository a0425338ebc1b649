# misconception: mask-of-zeros
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1).masked_fill(~mask, 1e-9)
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights
