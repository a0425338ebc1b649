# misconception: -
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(logits, targets, ignore_index=pad)
