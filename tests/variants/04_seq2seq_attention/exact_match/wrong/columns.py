# misconception: wrong-axis
def exact_match(predicted, target, pad):
    return ((predicted == target) | (target == pad)).all(dim=0).float().mean()
