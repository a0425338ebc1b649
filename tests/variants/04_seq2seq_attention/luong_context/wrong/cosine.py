# misconception: cosine
def luong_context(state, memory, mask):
    scores = F.cosine_similarity(state[:, None, :], memory, dim=-1)
    weights = masked_softmax(scores, mask)
    return (weights[:, :, None] * memory).sum(1), weights
