# misconception: first-head
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = w[:, 0] + eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result
