# misconception: missing-half
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys[None, :]) / bandwidth) ** 2
    return softmax(scores)
