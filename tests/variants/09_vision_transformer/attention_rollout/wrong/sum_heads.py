# misconception: sum-over-heads
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = w.sum(1) + eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result
