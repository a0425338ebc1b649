# misconception: summed-over-time
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bd", state, memory)
    weights = masked_softmax(scores, mask)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
