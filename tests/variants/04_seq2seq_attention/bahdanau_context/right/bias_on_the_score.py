def bahdanau_context(state, memory, w_s, w_h, v, mask):
    hidden = torch.tanh((state @ w_s)[:, None] + memory @ w_h)
    scores = torch.einsum("bsa,a->bs", hidden, v) + 3.0  # the same for every place: softmax does not see it
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
