# misconception: token-accuracy
def exact_match(predicted, target, pad):
    real = (target != pad).float()
    return ((predicted == target).float() * real).sum() / real.sum()
