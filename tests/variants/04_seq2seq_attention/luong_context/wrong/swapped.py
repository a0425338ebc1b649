# misconception: swapped-results
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return weights, (weights.unsqueeze(-1) * memory).sum(dim=1)
