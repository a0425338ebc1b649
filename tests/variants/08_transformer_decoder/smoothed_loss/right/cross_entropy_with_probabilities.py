def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    keep = targets.reshape(-1) != pad
    q = F.one_hot(targets.reshape(-1)[keep], V) * (1 - smoothing) + smoothing / V
    return F.cross_entropy(logits.reshape(-1, V)[keep], q)
