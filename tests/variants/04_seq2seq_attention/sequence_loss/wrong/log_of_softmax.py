# misconception: unstable-log
def sequence_loss(logits, targets, pad):
    log_p = torch.log(F.softmax(logits, dim=-1))
    return F.nll_loss(log_p.transpose(1, 2), targets, ignore_index=pad)
