# misconception: sign-lost
def sequence_loss(logits, targets, pad):
    log_p = logits.log_softmax(-1)
    chosen = torch.gather(log_p, 2, targets[:, :, None])[:, :, 0]
    real = (targets != pad).float()
    return (chosen * real).sum() / real.sum()
