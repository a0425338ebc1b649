def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries.double(), keys.double(), bandwidth)
    y = (w @ values.double().unsqueeze(-1)).squeeze(-1)
    return [y.float(), w.float()]
