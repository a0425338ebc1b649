def leave_one_out_error(keys, values, bandwidth):
    n = len(keys)
    others = ~torch.eye(n, dtype=torch.bool)
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    weights = scores[others].view(n, n - 1).softmax(-1)
    predictions = (weights * values.expand(n, n)[others].view(n, n - 1)).sum(-1)
    return (predictions - values).square().mean()
