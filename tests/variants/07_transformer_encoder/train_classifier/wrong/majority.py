# misconception: never-trained
def train_classifier(tokens, labels, classes, pad, seed):
    counts = torch.bincount(labels, minlength=classes).float()
    return lambda unseen: counts.expand(len(unseen), classes)
