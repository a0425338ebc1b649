# misconception: broken-at-the-top
def warmup_rate(step, dim, warmup):
    return dim ** -0.5 * min(step ** -0.5, step / math.sqrt(warmup))
