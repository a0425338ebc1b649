# misconception: mean-instead-of-sum
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    predictions = torch.mean(weights * values, dim=1)
    return predictions, weights
