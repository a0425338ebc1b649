def gaussian_weights(queries, keys, bandwidth):
    z = queries[:, None] / bandwidth - keys[None, :] / bandwidth
    return torch.softmax(-0.5 * z.square(), dim=-1)
