# misconception: underflow
def nadaraya_watson(queries, keys, values, bandwidth):
    kernel = torch.exp(-(queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2))
    return (kernel @ values) / kernel.sum(1), kernel / kernel.sum(1, keepdim=True)
