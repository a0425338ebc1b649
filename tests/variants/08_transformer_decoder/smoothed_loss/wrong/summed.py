# misconception: sum-over-tokens
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, targets[..., None])[..., 0]
    loss = (1 - smoothing) * nll - smoothing * logp.mean(-1)
    return (loss * (targets != pad)).sum()
