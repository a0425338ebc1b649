# misconception: batch-mixed
def luong_context(state, memory, mask):
    scores = state @ memory.transpose(1, 2)
    weights = masked_softmax(scores, mask)
    return weights @ memory, weights
