# misconception: pad-in-the-denominator
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    loss = -(q * logits.log_softmax(-1)).sum(-1)
    loss = loss.masked_fill(targets == pad, 0.0)
    return loss.mean()
