# misconception: not-reduced
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    keep = targets != pad
    nll = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    return nll - smoothing * logp.mean(-1)[keep].mean()
