# misconception: returns-nothing
def warmup_rate(step, dim, warmup):
    rate = dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
