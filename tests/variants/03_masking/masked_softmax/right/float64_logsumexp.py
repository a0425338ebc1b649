def masked_softmax(scores, mask):
    s = scores.double().masked_fill(~mask, -1e30)
    w = (s - s.logsumexp(-1, keepdim=True)).exp()
    return (w * mask).float()
