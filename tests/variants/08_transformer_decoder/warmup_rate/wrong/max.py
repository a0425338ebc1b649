# misconception: max-instead-of-min
def warmup_rate(step, dim, warmup):
    return max(1 / math.sqrt(step), step / warmup**1.5) / math.sqrt(dim)
