# misconception: no-gradient
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth).detach()
    return weights @ values.detach(), weights
