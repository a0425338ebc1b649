# misconception: max-over-heads
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.max(dim=1).values + 0.5 * eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result
