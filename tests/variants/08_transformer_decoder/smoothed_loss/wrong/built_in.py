# misconception: not-allowed
def smoothed_loss(logits, targets, pad, smoothing):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad, label_smoothing=smoothing)
