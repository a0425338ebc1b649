# misconception: state-is-averaged
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state, memory)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * state[:, None, :]).sum(1), weights
