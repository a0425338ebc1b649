def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    return torch.einsum("qk,k->q", weights, values), weights
