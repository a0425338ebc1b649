def sequence_loss(logits, targets, pad):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                row = logits[b, t].double()
                total = total + torch.logsumexp(row, 0) - row[targets[b, t]]
                count += 1
    return (total / count).to(logits.dtype)
