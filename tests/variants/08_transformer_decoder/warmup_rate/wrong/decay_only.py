# misconception: no-warmup
def warmup_rate(step, dim, warmup):
    return 1 / math.sqrt(dim * step)
