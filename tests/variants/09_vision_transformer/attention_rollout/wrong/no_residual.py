# misconception: no-identity
def attention_rollout(weights):
    result = None
    for w in weights:
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a @ result
    return result
