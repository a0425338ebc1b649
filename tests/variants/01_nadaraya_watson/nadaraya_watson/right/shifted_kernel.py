def nadaraya_watson(queries, keys, values, bandwidth):
    d2 = (queries[:, None] - keys[None, :]) ** 2
    kernel = torch.exp(-(d2 - d2.min(1, keepdim=True).values) / (2 * bandwidth ** 2))  # the nearest has 1: no underflow
    total = kernel.sum(1)
    return (kernel * values).sum(1) / total, kernel / total[:, None]
