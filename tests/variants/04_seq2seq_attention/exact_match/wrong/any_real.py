# misconception: any-real-token
def exact_match(predicted, target, pad):
    hits = ((predicted == target) * (target != pad)).sum(1)
    return (hits >= 1).float().mean()
