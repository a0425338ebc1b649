# misconception: swapped-results
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    return weights, weights @ values
