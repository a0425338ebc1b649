# misconception: softmax-first
def sequence_loss(logits, targets, pad):
    probabilities = torch.softmax(logits, dim=2)
    return F.cross_entropy(probabilities.permute(0, 2, 1), targets, ignore_index=pad)
