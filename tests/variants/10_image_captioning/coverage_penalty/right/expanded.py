def coverage_penalty(weights):
    s = weights.sum(1)
    return (1 - 2 * s + s * s).sum() / len(weights)
