# misconception: dim-ignored
def warmup_rate(step, dim, warmup):
    return min(1 / math.sqrt(step), step / warmup ** 1.5)
