# misconception: weights-missing
def nadaraya_watson(queries, keys, values, bandwidth):
    return gaussian_weights(queries, keys, bandwidth) @ values
