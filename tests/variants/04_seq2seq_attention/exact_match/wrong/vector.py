# misconception: one-per-sentence
def exact_match(predicted, target, pad):
    return ~((predicted != target) & (target != pad)).any(1)
