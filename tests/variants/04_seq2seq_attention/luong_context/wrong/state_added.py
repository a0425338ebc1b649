# misconception: state-added
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return context + state, weights
