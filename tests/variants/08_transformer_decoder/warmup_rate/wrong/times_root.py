# misconception: dim-upside-down
def warmup_rate(step, dim, warmup):
    return math.sqrt(dim) * min(step ** -0.5, step * warmup ** -1.5)
