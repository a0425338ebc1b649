# misconception: reshaped-not-transposed
def sequence_loss(logits, targets, pad):
    B, T, V = logits.shape
    criterion = nn.CrossEntropyLoss(ignore_index=pad)
    return criterion(logits.view(B, V, T), targets)
