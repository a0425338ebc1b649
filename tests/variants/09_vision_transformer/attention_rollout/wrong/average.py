# misconception: average-of-layers
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    steps = []
    for w in weights:
        a = (w.mean(1) + eye) / 2
        steps.append(a / a.sum(-1, keepdim=True))
    return sum(steps) / len(steps)
