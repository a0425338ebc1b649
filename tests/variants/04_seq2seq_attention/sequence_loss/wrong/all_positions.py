# misconception: padding-counted
def sequence_loss(logits, targets, pad):
    vocabulary = logits.shape[-1]
    return F.cross_entropy(logits.reshape(-1, vocabulary), targets.reshape(-1))
