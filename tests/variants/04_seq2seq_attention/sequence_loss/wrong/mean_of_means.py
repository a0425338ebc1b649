# misconception: mean-of-means
def sequence_loss(logits, targets, pad):
    per_sentence = []
    for scores, words in zip(logits, targets):
        per_sentence.append(F.cross_entropy(scores, words, ignore_index=pad))
    return torch.stack(per_sentence).mean()
