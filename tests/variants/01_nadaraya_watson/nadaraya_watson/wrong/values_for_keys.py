# misconception: compares-values
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, values, bandwidth)
    return (weights * values).sum(-1), weights
