def sequence_loss(logits, targets, pad):
    return nn.CrossEntropyLoss(ignore_index=pad)(logits.permute(0, 2, 1), targets)
