# misconception: -
def sequence_loss(logits, targets, pad):
    wrong = logits.argmax(-1) != targets
    return wrong[targets != pad].float().mean()
