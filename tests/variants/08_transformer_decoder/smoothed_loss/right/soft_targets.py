def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = torch.full_like(logits, smoothing / V)
    q.scatter_add_(-1, targets.unsqueeze(-1), torch.full(targets.shape + (1,), 1 - smoothing))
    loss = -(q * F.log_softmax(logits, -1)).sum(-1)
    mask = (targets != pad).float()
    return (loss * mask).sum() / mask.sum()
