# misconception: bandwidth-ignored
def gaussian_weights(queries, keys, bandwidth):
    return F.softmax(-(queries[:, None] - keys) ** 2, dim=-1)
