# misconception: counted
def exact_match(predicted, target, pad):
    wrong = ((predicted != target) & (target != pad)).any(1)
    return len(target) - int(wrong.sum())
