# misconception: either-decides
def exact_match(predicted, target, pad):
    counts = (predicted != pad) & (target != pad)
    wrong = (predicted != target) & counts
    return 1.0 - wrong.any(1).float().mean()
