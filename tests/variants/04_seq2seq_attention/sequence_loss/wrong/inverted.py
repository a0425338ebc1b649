# misconception: only-padding
def sequence_loss(logits, targets, pad):
    mask = targets.eq(pad)
    return F.cross_entropy(logits[mask], targets[mask])
