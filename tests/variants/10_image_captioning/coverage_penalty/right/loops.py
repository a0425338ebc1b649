def coverage_penalty(weights):
    B, T, R = weights.shape
    total = 0
    for b in range(B):
        for r in range(R):
            covered = sum(weights[b, t, r] for t in range(T))
            total = total + (covered - 1) ** 2
    return total / B
