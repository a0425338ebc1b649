# misconception: -
def warmup_rate(step, dim, warmup):
    return dim ** -0.5 * min(step ** -0.5, step // warmup ** 1.5)
