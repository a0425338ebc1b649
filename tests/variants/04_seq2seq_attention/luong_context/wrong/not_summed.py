# misconception: not-added-up
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return torch.einsum("bs,bsd->bsd", weights, memory), weights
