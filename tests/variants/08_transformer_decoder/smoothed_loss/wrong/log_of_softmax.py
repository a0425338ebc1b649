# misconception: unstable-log
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    p = torch.softmax(logits, dim=-1)
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = -(q * torch.log(p)).sum(-1)
    return loss[targets != pad].mean()
