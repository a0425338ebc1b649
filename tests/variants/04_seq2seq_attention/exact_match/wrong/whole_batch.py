# misconception: all-or-nothing-for-the-batch
def exact_match(predicted, target, pad):
    keep = target != pad
    return float(torch.equal(predicted[keep], target[keep]))
