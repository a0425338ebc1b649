# misconception: pad-in-the-uniform-part
def smoothed_loss(logits, targets, pad, smoothing):
    nll = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    uniform = -F.log_softmax(logits, dim=-1).mean()
    return (1 - smoothing) * nll + smoothing * uniform
