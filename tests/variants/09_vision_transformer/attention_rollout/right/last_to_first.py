def attention_rollout(weights):
    n = weights[0].shape[-1]
    total = torch.eye(n).repeat(weights[0].shape[0], 1, 1)
    for layer in reversed(weights):
        a = layer.mean(1) * 0.5 + torch.eye(n) * 0.5
        total = total @ (a / a.sum(2, keepdim=True))
    return total
