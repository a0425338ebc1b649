# misconception: order-reversed
def attention_rollout(weights):
    T = weights[0].shape[-1]
    result = torch.eye(T)
    for w in weights:
        a = 0.5 * w.mean(dim=1) + 0.5 * torch.eye(T)
        a = a / a.sum(dim=-1, keepdim=True)
        result = result @ a
    return result
