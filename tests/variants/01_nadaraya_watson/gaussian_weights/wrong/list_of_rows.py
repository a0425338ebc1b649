# misconception: -
def gaussian_weights(queries, keys, bandwidth):
    return [softmax(-((q - keys) ** 2) / (2 * bandwidth ** 2)) for q in queries]
