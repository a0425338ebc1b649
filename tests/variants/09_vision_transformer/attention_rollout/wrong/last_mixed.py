# misconception: last-layer-only
def attention_rollout(weights):
    for w in weights:
        result = torch.eye(w.shape[-1])
        a = 0.5 * w.mean(1) + 0.5 * torch.eye(w.shape[-1])
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result
