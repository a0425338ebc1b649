def luong_context(state, memory, mask):
    scores = (memory @ state[..., None])[..., 0].masked_fill(~mask, -1e9)
    weights = scores.softmax(-1) * mask
    return (weights[:, None] @ memory)[:, 0], weights
