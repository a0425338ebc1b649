# misconception: lost-minus
def gaussian_weights(queries, keys, bandwidth):
    diff = queries[:, None] - keys
    scores = (-diff) ** 2 / (2 * bandwidth ** 2)
    return softmax(scores, dim=-1)
