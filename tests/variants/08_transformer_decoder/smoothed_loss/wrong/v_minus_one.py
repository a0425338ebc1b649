# misconception: others-only
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    target = torch.full_like(logp, smoothing / (V - 1))
    target.scatter_(-1, targets.unsqueeze(-1), 1 - smoothing)
    loss = -(target * logp).sum(-1)
    keep = targets != pad
    return loss[keep].mean()
