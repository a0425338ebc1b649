# misconception: underflow
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    kernel = torch.exp(-z ** 2 / 2)
    return kernel / kernel.sum(dim=1, keepdim=True)
