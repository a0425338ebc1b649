# misconception: inverse-distance
def gaussian_weights(queries, keys, bandwidth):
    inverse = (queries[:, None] - keys[None, :]) ** -2
    return inverse / inverse.sum(1, keepdim=True)
