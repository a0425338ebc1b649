# misconception: nan-row
def luong_context(state, memory, mask):
    scores = torch.bmm(memory, state[:, :, None])[:, :, 0]
    scores = torch.where(mask, scores, -math.inf)
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights[:, None], memory)[:, 0], weights
