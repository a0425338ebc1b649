def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])[None]
    out = None
    for layer in weights:
        a = layer.mean(1) + eye
        a = a / a.sum(-1, keepdim=True)
        out = a if out is None else torch.bmm(a, out)
    return out
