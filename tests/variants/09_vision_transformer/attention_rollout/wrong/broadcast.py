# misconception: missing-keepdim
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        a = torch.stack([m / m.sum(-1) for m in a])
        result = a @ result
    return result
