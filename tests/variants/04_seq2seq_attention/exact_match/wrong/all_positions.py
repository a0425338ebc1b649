# misconception: token-accuracy-with-padding
def exact_match(predicted, target, pad):
    return torch.eq(predicted, target).double().mean().float()
