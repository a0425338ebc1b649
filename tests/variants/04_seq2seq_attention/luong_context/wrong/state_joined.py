# misconception: state-joined
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return torch.cat([context, state], dim=1), weights
