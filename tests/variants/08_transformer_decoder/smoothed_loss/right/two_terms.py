def smoothed_loss(logits, targets, pad, smoothing):
    keep = targets != pad
    logp = logits[keep].log_softmax(-1)
    nll = F.nll_loss(logp, targets[keep])
    return (1 - smoothing) * nll - smoothing * logp.mean()
