# misconception: bandwidth-inverted
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys) * bandwidth) ** 2 / 2
    return F.softmax(scores, dim=1)
