# misconception: not-normalised
def nadaraya_watson(queries, keys, values, bandwidth):
    kernel = torch.exp(-(queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2))
    return kernel @ values, kernel
