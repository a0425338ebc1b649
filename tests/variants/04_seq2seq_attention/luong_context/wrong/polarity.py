# misconception: inverted-mask
def luong_context(state, memory, mask):
    scores = (memory @ state.unsqueeze(-1)).squeeze(-1)
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1).nan_to_num()
    return (weights.unsqueeze(1) @ memory).squeeze(1), weights
