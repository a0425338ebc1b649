def sequence_loss(logits, targets, pad):
    weight = torch.ones(logits.shape[-1])
    weight[pad] = 0.0
    return F.cross_entropy(logits.transpose(1, 2), targets, weight=weight)
