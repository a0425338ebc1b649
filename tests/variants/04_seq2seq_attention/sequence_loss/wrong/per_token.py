# misconception: one-loss-per-token
def sequence_loss(logits, targets, pad):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
