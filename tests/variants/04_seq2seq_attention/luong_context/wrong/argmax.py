# misconception: hard-choice
def luong_context(state, memory, mask):
    scores = (memory * state[:, None]).sum(-1).masked_fill(~mask, -1e30)
    best = scores.argmax(1)
    weights = torch.zeros_like(scores)
    weights[torch.arange(len(state)), best] = 1.0
    return memory[torch.arange(len(state)), best], weights
