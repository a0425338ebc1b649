# misconception: columns-normalised
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        result = (a / a.sum(dim=1, keepdim=True)) @ result
    return result
