# misconception: perplexity
def sequence_loss(logits, targets, pad):
    return torch.exp(F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad))
