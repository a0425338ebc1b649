# misconception: not-normalised
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    return torch.exp(-0.5 * z * z)
