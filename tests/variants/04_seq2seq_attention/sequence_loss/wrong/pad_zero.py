# misconception: pad-is-not-always-0
def sequence_loss(logits, targets, pad):
    keep = targets > 0
    return F.cross_entropy(logits[keep], targets[keep])
