# misconception: divided-by-size
def luong_context(state, memory, mask):
    scores = (state[:, None, :] * memory).mean(dim=-1)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * memory).sum(dim=1), weights
