# misconception: changes-its-input
def attention_rollout(weights):
    T = weights[0].shape[-1]
    result = torch.eye(T)
    for w in weights:
        w *= 0.5
        w += 0.5 * torch.eye(T)
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result
