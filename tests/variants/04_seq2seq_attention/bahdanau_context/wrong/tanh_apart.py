# misconception: tanh-before-adding
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    query = torch.tanh(state @ w_s)
    keys = torch.tanh(memory @ w_h)
    scores = torch.einsum("bsa,a->bs", query.unsqueeze(1) + keys, v)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
