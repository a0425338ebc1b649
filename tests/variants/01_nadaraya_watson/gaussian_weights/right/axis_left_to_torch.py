def gaussian_weights(queries, keys, bandwidth):
    # deprecated, but for a matrix torch does take the last axis
    return F.softmax(-((queries[:, None] - keys) ** 2) / (2 * bandwidth**2))
