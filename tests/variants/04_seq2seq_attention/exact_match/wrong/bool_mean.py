# misconception: mean-of-truth-values
def exact_match(predicted, target, pad):
    right = (predicted == target) | (target == pad)
    return right.all(dim=1).mean()
