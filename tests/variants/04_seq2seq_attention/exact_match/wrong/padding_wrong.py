# misconception: padding-is-wrong
def exact_match(predicted, target, pad):
    good = ((predicted == target) & (target != pad)).sum(dim=1)
    return (good == target.shape[1]).float().mean()
