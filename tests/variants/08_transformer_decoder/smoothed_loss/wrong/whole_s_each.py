# misconception: not-divided
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    nll = -logp.gather(2, targets.unsqueeze(2)).squeeze(2)
    uniform = -logp.sum(-1)
    loss = (1 - smoothing) * nll + smoothing * uniform
    return loss[targets != pad].mean()
