def exact_match(predicted, target, pad):
    right = (predicted == target).float()
    right[target == pad] = 1
    return right.prod(1).mean()
