def smoothed_loss(logits, targets, pad, smoothing):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                z = logits[b, t]
                logp = z - torch.logsumexp(z, 0)
                total = total - (1 - smoothing) * logp[targets[b, t]] - smoothing * logp.sum() / len(logp)
                count += 1
    return total / count
