# misconception: mask-not-low-enough
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    scores = torch.where(mask, scores, torch.tensor(-10.0))
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights
