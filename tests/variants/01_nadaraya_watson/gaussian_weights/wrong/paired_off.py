# misconception: no-outer-difference
def gaussian_weights(queries, keys, bandwidth):
    scores = -(queries - keys) ** 2 / (2 * bandwidth ** 2)
    return softmax(scores)
