# misconception: one-nearest-neighbour
def nadaraya_watson(queries, keys, values, bandwidth):
    nearest = (queries[:, None] - keys[None, :]).abs().argmin(dim=1)
    return values[nearest], F.one_hot(nearest, keys.shape[0]).float()
