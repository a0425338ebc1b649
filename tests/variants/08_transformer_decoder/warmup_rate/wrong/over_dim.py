# misconception: dim-not-rooted
def warmup_rate(step, dim, warmup):
    return (1 / dim) * min(step ** -0.5, step * warmup ** -1.5)
