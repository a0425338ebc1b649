def warmup_rate(step, dim, warmup):
    log = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup)) - 0.5 * math.log(dim)
    return math.exp(log)
