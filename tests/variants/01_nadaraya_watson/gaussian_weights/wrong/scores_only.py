# misconception: no-softmax
def gaussian_weights(queries, keys, bandwidth):
    difference = queries.reshape(-1, 1) - keys.reshape(1, -1)
    return -0.5 * (difference / bandwidth) ** 2
