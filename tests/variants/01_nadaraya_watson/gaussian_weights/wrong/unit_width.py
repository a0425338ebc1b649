# misconception: bandwidth-ignored
def gaussian_weights(queries, keys, bandwidth):
    d2 = (queries[:, None] - keys) ** 2
    return softmax(-d2 / 2, dim=-1)
