# misconception: bandwidth-ignored
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, 1.0)
    return weights @ values, weights
