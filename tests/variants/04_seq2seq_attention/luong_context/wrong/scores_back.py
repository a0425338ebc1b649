# misconception: scores-returned
def luong_context(state, memory, mask):
    scores = torch.einsum("bd,bsd->bs", state, memory)
    return torch.einsum("bs,bsd->bd", masked_softmax(scores, mask), memory), scores
