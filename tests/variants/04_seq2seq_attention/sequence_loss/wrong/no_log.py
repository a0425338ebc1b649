# misconception: probability-not-log
def sequence_loss(logits, targets, pad):
    return F.nll_loss(logits.softmax(-1).transpose(1, 2), targets, ignore_index=pad)
