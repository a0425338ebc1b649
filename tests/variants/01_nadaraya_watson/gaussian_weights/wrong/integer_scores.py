# misconception: -
def gaussian_weights(queries, keys, bandwidth):
    d = (queries[:, None] - keys[None, :]).long()
    return softmax(-(d ** 2) / (2 * bandwidth ** 2))
