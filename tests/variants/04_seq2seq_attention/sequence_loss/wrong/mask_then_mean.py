# misconception: zeroed-but-divided-by-all
def sequence_loss(logits, targets, pad):
    losses = -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    losses = losses.masked_fill(targets == pad, 0.0)
    return losses.mean()
