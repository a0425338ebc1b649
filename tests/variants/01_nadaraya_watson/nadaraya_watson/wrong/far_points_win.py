# misconception: distance-as-similarity
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = softmax((queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2), dim=1)
    return weights @ values, weights
