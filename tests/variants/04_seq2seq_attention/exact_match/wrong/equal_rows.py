# misconception: padding-compared
def exact_match(predicted, target, pad):
    same = [torch.equal(p, t) for p, t in zip(predicted, target)]
    return sum(same) / len(same)
