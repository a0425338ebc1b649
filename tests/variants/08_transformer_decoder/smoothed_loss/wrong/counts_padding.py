# misconception: pad-counted
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    return -(q * logits.log_softmax(-1)).sum(-1).mean()
