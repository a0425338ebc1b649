# misconception: scaled
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state.unsqueeze(2)).squeeze(2) / state.shape[1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights
