def exact_match(predicted, target, pad):
    predicted = torch.where(target == pad, pad, predicted)
    return (predicted == target).int().amin(1).sum() / target.size(0)
