# misconception: not-allowed
def smoothed_loss(logits, targets, pad, smoothing):
    return F.cross_entropy(logits.transpose(1, 2), targets, None, None, pad, None, "mean", smoothing)
