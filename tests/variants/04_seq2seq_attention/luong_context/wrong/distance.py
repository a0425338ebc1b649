# misconception: distance
def luong_context(state, memory, mask):
    scores = -torch.cdist(state[:, None, :], memory)[:, 0, :] ** 2
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
