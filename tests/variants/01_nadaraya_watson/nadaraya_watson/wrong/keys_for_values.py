# misconception: keys-averaged
def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries, keys, bandwidth)
    return torch.matmul(w, keys), w
