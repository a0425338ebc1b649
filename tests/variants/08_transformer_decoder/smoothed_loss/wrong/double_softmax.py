# misconception: softmax-before-cross-entropy
def smoothed_loss(logits, targets, pad, smoothing):
    probs = F.softmax(logits, dim=-1)
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = F.cross_entropy(probs.flatten(0, 1), q.flatten(0, 1), reduction="none")
    return loss[targets.flatten() != pad].mean()
