# misconception: softmax-over-the-batch
def luong_context(state, memory, mask):
    scores = (memory * state[:, None]).sum(-1)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=0).nan_to_num()
    return (weights[..., None] * memory).sum(1), weights
