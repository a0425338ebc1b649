# misconception: column-of-predictions
def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries, keys, bandwidth)
    return (w * values).sum(dim=1, keepdim=True), w
