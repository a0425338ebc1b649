# misconception: -
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad, label_smoothing=0.1)
