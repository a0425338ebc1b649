# misconception: one-nearest-neighbour
def gaussian_weights(queries, keys, bandwidth):
    weights = torch.zeros(len(queries), len(keys))
    for i in range(len(queries)):
        weights[i, torch.argmin((queries[i] - keys).abs())] = 1.0
    return weights
