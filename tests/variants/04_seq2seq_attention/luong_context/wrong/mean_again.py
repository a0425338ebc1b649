# misconception: averaged-again
def luong_context(state, memory, mask):
    weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
    return (weights.unsqueeze(-1) * memory).mean(dim=1), weights
