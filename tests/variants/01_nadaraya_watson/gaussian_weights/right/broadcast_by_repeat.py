def gaussian_weights(queries, keys, bandwidth):
    a = queries.repeat_interleave(keys.shape[0]).reshape(-1, keys.shape[0])
    scores = -torch.square(a - keys) / 2 / bandwidth / bandwidth
    return nn.Softmax(dim=1)(scores)
