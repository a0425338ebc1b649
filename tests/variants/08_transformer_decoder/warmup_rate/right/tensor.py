def warmup_rate(step, dim, warmup):
    step = torch.tensor(float(step))
    return float(torch.minimum(step.rsqrt(), step * warmup ** -1.5) / math.sqrt(dim))
