# misconception: not-normalised
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        result = (w.mean(1) + eye) @ result
    return result
