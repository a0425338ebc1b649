# misconception: uniform-where-nothing-is-allowed
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state[:, :, None])[:, :, 0]
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights[:, None], memory)[:, 0], weights
