def attention_rollout(weights):
    steps = []
    for w in weights:
        a = w.mean(1)
        a = (a + torch.eye(a.size(-1))) / 2
        steps.append(F.normalize(a, p=1, dim=-1))
    if len(steps) == 1:
        return steps[0]
    return torch.stack([torch.linalg.multi_dot([s[b] for s in reversed(steps)]) for b in range(len(steps[0]))])
