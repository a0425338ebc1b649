def sequence_loss(logits, targets, pad):
    real = targets != pad
    return F.cross_entropy(logits[real], targets[real])
