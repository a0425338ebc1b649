# misconception: identity-once
def attention_rollout(weights):
    result = None
    for w in weights:
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a @ result
    return 0.5 * result + 0.5 * torch.eye(result.shape[-1])
