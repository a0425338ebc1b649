def warmup_rate(step, dim, warmup):
    shape = min(step / warmup, (warmup / step) ** 0.5)
    return (dim * warmup) ** -0.5 * shape
