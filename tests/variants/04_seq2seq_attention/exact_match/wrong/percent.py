# misconception: -
def exact_match(predicted, target, pad):
    right = (predicted == target) | (target == pad)
    return 100 * right.all(dim=1).float().mean()
