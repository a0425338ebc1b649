def exact_match(predicted, target, pad):
    errors = ((predicted != target) * (target != pad)).sum(dim=1)
    return (errors == 0).double().mean()
