# misconception: any-token
def exact_match(predicted, target, pad):
    ok = (predicted == target) + (target == pad)
    return (ok.sum(1) > 0).float().mean()
