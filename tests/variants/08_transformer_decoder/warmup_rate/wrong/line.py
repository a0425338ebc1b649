# misconception: never-falls
def warmup_rate(step, dim, warmup):
    return step / (math.sqrt(dim) * warmup * math.sqrt(warmup))
