# misconception: distance-as-similarity
def gaussian_weights(queries, keys, bandwidth):
    d = queries.unsqueeze(1) - keys.unsqueeze(0)
    return torch.softmax(d.pow(2) / (2 * bandwidth ** 2), dim=1)
