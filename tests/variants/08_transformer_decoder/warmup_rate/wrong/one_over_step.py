# misconception: falls-too-fast
def warmup_rate(step, dim, warmup):
    peak = (dim * warmup) ** -0.5
    return peak * step / warmup if step <= warmup else peak * warmup / step
