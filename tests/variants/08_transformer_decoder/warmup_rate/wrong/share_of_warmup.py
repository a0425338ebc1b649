# misconception: broken-at-the-top
def warmup_rate(step, dim, warmup):
    if step < warmup:
        return dim ** -0.5 * min(step / warmup, step ** -0.5)
    return dim ** -0.5 * step ** -0.5
