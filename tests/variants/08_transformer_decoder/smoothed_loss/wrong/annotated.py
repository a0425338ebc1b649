# misconception: padding-is-no-word
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    logp = F.log_softmax(logits.reshape(-1, V), -1)
    t = targets.reshape(-1)
    true = torch.full_like(logp, smoothing / (V - 2))
    true.scatter_(1, t[:, None], 1 - smoothing)
    keep = t != pad
    true[:, pad] = 0
    return -(true * logp).sum(-1)[keep].mean()
