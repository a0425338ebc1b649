def attention_rollout(weights):
    stack = torch.stack(list(weights)).double().mean(2)
    stack = 0.5 * stack + 0.5 * torch.eye(stack.shape[-1], dtype=torch.float64)
    stack = stack / stack.sum(-1, keepdim=True)
    out = stack[0]
    for step in stack[1:]:
        out = step @ out
    return out.float()
