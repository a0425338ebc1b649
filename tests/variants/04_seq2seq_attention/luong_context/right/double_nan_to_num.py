def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state.double(), memory.double())
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)
    context = torch.einsum("bs,bsd->bd", weights, memory.double())
    return context.float(), weights.float()
