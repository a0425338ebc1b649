# misconception: no-softmax
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = -(q * logits).sum(-1)
    return loss[targets != pad].mean()
