def smoothed_loss(logits, targets, pad, smoothing):
    z = logits.double()
    norm = z.logsumexp(-1)
    right = z.gather(-1, targets[..., None]).squeeze(-1)
    loss = norm - (1 - smoothing) * right - smoothing * z.mean(-1)
    return loss[targets != pad].mean().float()
