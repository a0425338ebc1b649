# misconception: no-gradient
def luong_context(state, memory, mask):
    with torch.no_grad():
        weights = masked_softmax(torch.einsum("bd,bsd->bs", state, memory), mask)
        return (weights.unsqueeze(-1) * memory).sum(dim=1), weights
