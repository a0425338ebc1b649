# misconception: shifted-again
def sequence_loss(logits, targets, pad):
    predictions = logits[:, :-1].flatten(0, 1)
    words = targets[:, 1:].flatten()
    return F.cross_entropy(predictions, words, ignore_index=pad)
