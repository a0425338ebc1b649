def exact_match(predicted, target, pad):
    return ((predicted == target) | (target == pad)).all(-1).float().mean()
