# misconception: no-gradient
def sequence_loss(logits, targets, pad):
    loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    return torch.tensor(loss.item())
