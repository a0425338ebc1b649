# misconception: stays-at-the-top
def warmup_rate(step, dim, warmup):
    top = (dim * warmup) ** -0.5
    return top * step / warmup if step < warmup else top
