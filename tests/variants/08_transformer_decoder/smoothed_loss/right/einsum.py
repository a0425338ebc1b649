def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=2)
    q = torch.eye(V)[targets] * (1 - smoothing) + torch.ones(V) / V * smoothing
    real = (targets != pad).to(logp.dtype)
    return -torch.einsum("btv,btv,bt->", q, logp, real) / real.sum()
