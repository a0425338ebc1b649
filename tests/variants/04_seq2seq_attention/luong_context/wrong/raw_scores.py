# misconception: no-softmax
def luong_context(state, memory, mask):
    weights = (memory * state[:, None]).sum(-1).masked_fill(~mask, 0.0)
    return (weights[..., None] * memory).sum(1), weights
