# misconception: prediction-decides
def exact_match(predicted, target, pad):
    wrong = (predicted != target) & (predicted != pad)
    return (~wrong.any(dim=1)).float().mean()
