# misconception: wrong-sign
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    right = logp.gather(-1, targets[..., None])[..., 0]
    return ((1 - smoothing) * right + smoothing * logp.mean(-1))[targets != pad].mean()
