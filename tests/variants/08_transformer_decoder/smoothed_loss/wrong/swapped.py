# misconception: roles-swapped
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    keep = targets != pad
    nll = -logp[keep].gather(1, targets[keep][:, None]).mean()
    uniform = -logp[keep].mean()
    return smoothing * nll + (1 - smoothing) * uniform
