def bahdanau_context(state, memory, w_s, w_h, v, mask):
    hidden = F.linear(state, w_s.T).unsqueeze(1) + F.linear(memory, w_h.T)
    scores = F.linear(hidden.tanh(), v.unsqueeze(0)).squeeze(-1)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(1).nan_to_num()
    return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights
