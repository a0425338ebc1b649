# misconception: compares-values
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = torch.softmax(-((queries[:, None] - values) ** 2) / (2 * bandwidth**2), -1)
    return weights @ values, weights
