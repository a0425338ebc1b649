# misconception: elementwise-product
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = None
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a * result
    return result
