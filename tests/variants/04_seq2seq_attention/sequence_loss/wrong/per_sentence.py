# misconception: per-sentence
def sequence_loss(logits, targets, pad):
    total = F.nll_loss(logits.log_softmax(-1).mT, targets, ignore_index=pad, reduction="sum")
    return total / targets.size(0)
