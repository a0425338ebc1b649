# misconception: token-accuracy-padding-free
def exact_match(predicted, target, pad):
    filled = torch.where(target == pad, target, predicted)
    return (filled == target).float().mean()
