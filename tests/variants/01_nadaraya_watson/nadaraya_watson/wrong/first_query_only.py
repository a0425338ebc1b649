# misconception: -
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = softmax(-(queries[0] - keys) ** 2 / (2 * bandwidth ** 2))
    return (weights * values).sum(), weights
