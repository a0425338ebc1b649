# misconception: mean-of-means
def sequence_loss(logits, targets, pad):
    per_sentence = []
    for scores, words in zip(logits, targets):
        keep = words != pad
        total = F.cross_entropy(scores, words, ignore_index=pad, reduction="sum")
        per_sentence.append(total / max(int(keep.sum()), 1))
    return torch.stack(per_sentence).mean()
