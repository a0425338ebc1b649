# misconception: summed
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad, reduction="sum")
