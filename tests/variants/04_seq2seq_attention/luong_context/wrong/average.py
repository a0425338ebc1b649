# misconception: every-place-the-same
def luong_context(state, memory, mask):
    weights = mask / mask.sum(1, keepdim=True).clamp(min=1)
    return (weights[..., None] * memory).sum(1), weights
