# misconception: counts-from-zero
def warmup_rate(step, dim, warmup):
    step -= 1
    return dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
