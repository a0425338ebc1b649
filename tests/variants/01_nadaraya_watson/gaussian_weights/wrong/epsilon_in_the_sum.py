# misconception: -
def gaussian_weights(queries, keys, bandwidth):
    kernel = torch.exp(-((queries[:, None] - keys) / bandwidth) ** 2 / 2)
    return kernel / (kernel.sum(1, keepdim=True) + 1e-12)
