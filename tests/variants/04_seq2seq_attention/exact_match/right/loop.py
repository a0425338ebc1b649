def exact_match(predicted, target, pad):
    hits = 0
    for p, t in zip(predicted.tolist(), target.tolist()):
        hits += all(a == b for a, b in zip(p, t) if b != pad)
    return hits / len(target)
