def bahdanau_context(state, memory, w_s, w_h, v, mask):
    scores = additive_scores(state.unsqueeze(1), memory, w_s, w_h, v).squeeze(1)
    weights = masked_softmax(scores, mask)
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights
