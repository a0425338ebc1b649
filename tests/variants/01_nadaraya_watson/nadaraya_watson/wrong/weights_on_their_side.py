# misconception: transposed
def nadaraya_watson(queries, keys, values, bandwidth):
    scores = -((keys[:, None] - queries[None, :]) ** 2) / (2 * bandwidth**2)  # (K, Q)
    weights = softmax(scores, dim=0)
    return values @ weights, weights
