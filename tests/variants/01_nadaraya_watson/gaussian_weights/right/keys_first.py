def gaussian_weights(queries, keys, bandwidth):
    scores = -((keys[:, None] - queries[None, :]) ** 2) / (2 * bandwidth**2)  # (K, Q)
    return softmax(scores, dim=0).T
