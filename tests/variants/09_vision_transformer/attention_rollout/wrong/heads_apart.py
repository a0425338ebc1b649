# misconception: heads-multiplied-apart
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = (w + eye) / (w + eye).sum(-1, keepdim=True)
        result = a @ result
    return result.mean(dim=1)
