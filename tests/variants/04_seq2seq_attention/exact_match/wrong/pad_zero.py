# misconception: pad-is-not-always-0
def exact_match(predicted, target, pad):
    right = (predicted == target).logical_or(target == 0)
    return right.all(-1).float().mean()
