def luong_context(state, memory, mask):
    weights = masked_softmax(torch.bmm(memory, state.unsqueeze(2)).squeeze(2), mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights
