def nadaraya_watson(queries, keys, values, bandwidth):
    dists = keys.reshape((-1, 1)) - queries.reshape((1, -1))
    attention = torch.softmax(-dists**2 / (2 * bandwidth**2), dim=0)
    return values @ attention, attention.T
