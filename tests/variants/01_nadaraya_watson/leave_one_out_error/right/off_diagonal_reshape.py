def leave_one_out_error(keys, values, bandwidth):
    n = len(keys)
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    off = ~torch.eye(n, dtype=torch.bool)
    scores = scores[off].view(n, n - 1)
    others = values.expand(n, n)[off].view(n, n - 1)
    return (((softmax(scores) * others).sum(1) - values) ** 2).mean()
