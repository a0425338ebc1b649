def sequence_loss(logits, targets, pad):
    wanted = F.one_hot(targets, logits.shape[-1]) * (targets != pad)[..., None]
    return -(wanted * F.log_softmax(logits, -1)).sum() / wanted.sum()
