# misconception: returns-nothing
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    predictions = weights @ values
