# misconception: mean-of-sentences
def smoothed_loss(logits, targets, pad, smoothing):
    losses = []
    for z, y in zip(logits, targets):
        keep = y != pad
        logp = z[keep].log_softmax(-1)
        nll = -logp[torch.arange(len(logp)), y[keep]]
        losses.append(((1 - smoothing) * nll - smoothing * logp.mean(-1)).mean())
    return torch.stack(losses).mean()
