# misconception: mask-from-the-prediction
def sequence_loss(logits, targets, pad):
    predicted = logits.max(-1).indices
    keep = predicted != pad
    return F.cross_entropy(logits[keep], targets[keep])
