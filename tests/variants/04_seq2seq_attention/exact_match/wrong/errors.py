# misconception: error-rate
def exact_match(predicted, target, pad):
    return ((predicted != target) & (target != pad)).any(1).float().mean()
